import type { Agent } from '../contracts/agent.ts';
import type { Json } from '../contracts/json.ts';
import type { RunOptions } from '../contracts/run.ts';
import { toMermaid } from '../machines/diagram.ts';
import type { Definition } from './definition.ts';
import { define } from './definition.ts';
import type { AgentLogic } from './embedded-logic.ts';
import { embeddedLogic } from './embedded-logic.ts';
import { runInTurn } from './run-in-turn.ts';
import { startRun } from './start-run.ts';

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
    run: (input: Input, options?: RunOptions) => runInTurn<Output, State>(definition, input, options),
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
