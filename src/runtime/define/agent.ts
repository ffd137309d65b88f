import type { AgentFor, AgentOptions } from '../../contracts/agents/agent.ts';
import type { Content } from '../../contracts/content/part.ts';
import type { Json } from '../../base/json/json.ts';
import type { InputOf, KeptOf } from '../../base/schemas/schema.ts';
import type { Described, InputSchemaOf, OutputSchemaOf } from '../../contracts/agents/signature.ts';
import { agentDefinition } from './define-agent.ts';
import type { AgentChart } from '../embed/agent-types.ts';
import type { EmbeddableAgent } from './embeddable-agent.ts';
import { faceOf } from './face.ts';

/** True for a union of several types. */
type IsUnion<Type, Each = Type> = [Type] extends [never]
  ? false
  : Each extends unknown
    ? [Type] extends [Each]
      ? false
      : true
    : never;

/** The type of states that begin with one: `''` begins as a text and goes on as any. Where several values were named, those are all. */
type StateFrom<State extends Json> =
  IsUnion<State> extends true
    ? State
    : State extends string
      ? string
      : State extends number
        ? number
        : State extends boolean
          ? boolean
          : State;

/**
 * Defines an agent: a statechart that observes, decides, acts, reduces, is criticised, and checks whether to stop.
 *
 * Defining starts nothing; each run is independent. Everything but the name has a default: without a `model` the environment decides
 * (`TROUPE_MODEL`, `OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `OPENAI_BASE_URL`), and without any of these the offline model, which needs no
 * key, does modest work.
 *
 * @example
 * const mathematician = agent({ name: 'mathematician', instructions: 'Use the tools.', tools: [add] });
 * const { output } = await mathematician.run('What is 19 + 23?');
 *
 * @throws {TroupeError} `agent.invalid` without a usable name, for tools, hooks, critics or fragments that are no list, or for a number
 * that bounds nothing; `tool.duplicate` and `tool.invalid` for its tools.
 */
export const agent = <
  Input extends Described = undefined,
  Output extends Described = undefined,
  State extends Json = Json,
  Observation extends Json = Json,
>(
  options: AgentOptions<Input, Output, StateFrom<State>, Observation> & { readonly state?: State },
): EmbeddableAgent<
  InputOf<InputSchemaOf<Input, Output>, Content>,
  KeptOf<OutputSchemaOf<Input, Output>>,
  StateFrom<State>,
  AgentChart<StateFrom<State>>
> &
  AgentFor<Input, Output, StateFrom<State>> => {
  return faceOf(agentDefinition<Input, Output, StateFrom<State>, Observation>(options));
};
