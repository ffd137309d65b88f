import type { ActorLogic, AnyActorRef, Snapshot } from 'xstate';
import type { RuntimeEvent } from '../contracts/event.ts';
import type { Outcome } from '../contracts/run.ts';
import type { Definition } from './definition.ts';
import { liveHost, logicOf } from './live-host.ts';
import { createRun } from './start-run.ts';

/** The snapshot of an embedded agent: its phase in `value`, what it knows in `context`, its end in `output`. */
export type AgentSnapshot<Output> = Snapshot<Outcome<Output>> & {
  readonly value: unknown;
  readonly context: object;
};

/**
 * The logic of an agent's actor, for XState's `createActor`, `invoke` and `spawnChild`: typed input, output and
 * emitted events. A run that failed is `done` with an outcome that says so; it never errors in the app around it.
 */
export type AgentLogic<Input, Output> = ActorLogic<
  AgentSnapshot<Output>,
  { readonly type: string },
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
    run.log.mirror((event) => {
      scope.emit(event);
    });
    return { entry: run.root, input: run.started(input) };
  });
  embedded.set(definition, logic);
  return logic as AgentLogic<Input, Output>;
};
