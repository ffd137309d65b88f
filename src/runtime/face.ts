import type { ActorLogic, AnyActorRef, Snapshot } from 'xstate';
import type { Agent } from '../contracts/agent.ts';
import type { RuntimeEvent } from '../contracts/event.ts';
import type { Json } from '../contracts/json.ts';
import type { Outcome, RunOptions } from '../contracts/run.ts';
import { toMermaid } from '../machines/diagram.ts';
import type { Definition } from './definition.ts';
import { define } from './definition.ts';
import { embeddedLogic } from './embedded-logic.ts';
import { startRun } from './start-run.ts';

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

/** An agent or team that can also be embedded in an XState app. */
export interface EmbeddableAgent<Input = string, Output = string, State = Json> extends Agent<
  Input,
  Output,
  State
> {
  readonly logic: AgentLogic<Input, Output>;
}

/** The face of a definition: what `agent()` and the patterns return. */
export const faceOf = <Input, Output, State>(
  definition: Definition,
): EmbeddableAgent<Input, Output, State> => {
  const face: EmbeddableAgent<Input, Output, State> = {
    name: definition.name,
    description: definition.description,
    run: (input: Input, options: RunOptions = {}) =>
      startRun<Output, State>(definition, input, options, { isAttended: false }).result,
    stream: (input: Input, options: RunOptions = {}) =>
      startRun<Output, State>(definition, input, options, { isAttended: true }),
    diagram: () => toMermaid(definition.machine),
    get logic() {
      return embeddedLogic<Input, Output>(definition);
    },
  };
  define(face, definition);
  return Object.freeze(face);
};
