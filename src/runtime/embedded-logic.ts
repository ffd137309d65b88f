import type { ActorLogic, AnyActorRef, Snapshot } from 'xstate';
import * as z from 'zod';
import type { RuntimeEvent } from '../contracts/event.ts';
import type { Message } from '../contracts/message.ts';
import type { Outcome } from '../contracts/run.ts';
import type { Definition } from './definition.ts';
import { guardInspection } from './guard-inspection.ts';
import { Handle } from './handle.ts';
import { liveHost, logicOf } from './live-host.ts';
import type { Run } from './run.ts';
import { createRun } from './create-run.ts';

/** The snapshot of an embedded agent: its phase in `value`, what it knows in `context`, its end in `output`. */
export type AgentSnapshot<Output> = Snapshot<Outcome<Output>> & {
  readonly value: unknown;
  readonly context: object;
};

/** What an app may send to an embedded agent: what `RunHandle` can do, as events. Anything else is ignored. */
export type AgentCommand =
  | { readonly type: 'message'; readonly message: string | Message }
  | { readonly type: 'approve'; readonly callId: string }
  | { readonly type: 'deny'; readonly callId: string; readonly reason?: string | undefined }
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'abort'; readonly reason?: string | undefined };

/**
 * The logic of an agent's actor, for XState's `createActor`, `invoke` and `spawnChild`: typed input, output, commands
 * and emitted events. A run that failed is `done` with an outcome that says so; it never errors in the app around it.
 *
 * An inspector of the app that throws does not hurt the run: it is an `observer.failed` event. Only what it throws at
 * the very first event, of an actor that is being made, is XState's and comes out of `createActor`: there is no run yet.
 * XState drops what an inspector returns, so one that is asynchronous has to catch its own failures.
 */
export type AgentLogic<Input, Output> = ActorLogic<
  AgentSnapshot<Output>,
  AgentCommand,
  Input,
  AnyActorRef['system'],
  RuntimeEvent
>;

const embedded = new WeakMap<Definition, unknown>();

/** The logic of a definition for somebody else's XState app: each actor made from it is the root of a run of its own. */
export const embeddedLogic = <Input, Output>(definition: Definition): AgentLogic<Input, Output> => {
  const known = embedded.get(definition);
  if (known !== undefined) return known as AgentLogic<Input, Output>;
  const logic: unknown = logicOf(definition, (scope, input) => {
    const run = createRun(definition, {}, { isAttended: true, host: liveHost() });
    run.release();
    const given = run.started(input);
    // The first events are from before anybody can listen: they are told when the actor starts.
    let isStarted = false;
    let told = 0;
    const tell = (): void => {
      while (isStarted && told < run.log.events.length) {
        const event = run.log.events.at(told);
        told += 1;
        if (event !== undefined) scope.emit(event);
      }
    };
    run.log.mirror(tell);
    scope.defer(() => {
      isStarted = true;
      tell();
    });
    const leave = guardInspection(scope.self, (error) => {
      run.observerFailed('inspector', error);
    });
    const through = (): void => undefined;
    return {
      entry: run.root,
      input: given,
      obey: commandsTo(run),
      ended: run.result.then(through, through),
      leave,
    };
  });
  embedded.set(definition, logic);
  return logic as AgentLogic<Input, Output>;
};

/** Carries out what an app wants of a run; what is no command is nothing. */
const commandsTo = (run: Run): ((event: { readonly type: string }) => void) => {
  const handle = new Handle(run);
  return (given) => {
    const { success, data: event } = commandSchema.safeParse(given);
    if (!success) return;
    switch (event.type) {
      case 'message':
        handle.send(event.message);
        break;
      case 'approve':
        handle.approve(event.callId);
        break;
      case 'deny':
        handle.deny(event.callId, event.reason);
        break;
      case 'reply':
        handle.reply(event.text);
        break;
      case 'pause':
        handle.pause();
        break;
      case 'resume':
        handle.resume();
        break;
      case 'abort':
        handle.abort(event.reason);
    }
  };
};

const text = z.string();

/** An app may send its agent anything: what is no command must not break the app. */
const commandSchema: z.ZodType<AgentCommand> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message'),
    message: z.union([text, z.object({ from: text, text, data: z.json().optional() })]),
  }),
  z.object({ type: z.literal('approve'), callId: text }),
  z.object({ type: z.literal('deny'), callId: text, reason: text.optional().catch(undefined) }),
  z.object({ type: z.literal('reply'), text }),
  z.object({ type: z.literal('pause') }),
  z.object({ type: z.literal('resume') }),
  z.object({ type: z.literal('abort'), reason: text.optional().catch(undefined) }),
]);
