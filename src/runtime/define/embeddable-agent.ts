import type { Agent } from '../../contracts/agents/agent.ts';
import type { Json } from '../../base/json/json.ts';
import type { AgentLogic, LogicChart, TeamChart } from '../embed/agent-types.ts';
import type { LogicOptions } from '../embed/logic-options.ts';

/** An agent or team that can also be embedded in an XState app. */
export interface EmbeddableAgent<
  Input = string,
  Output = string,
  State = Json,
  Chart extends LogicChart = TeamChart,
> extends Agent<Input, Output, State> {
  /** Its actor logic for XState: each actor is a run, with the defaults of `run`. */
  readonly logic: AgentLogic<Input, Output, Chart>;
  /**
   * Its actor logic with run options: a store, a thread, a context, a model, a budget … Each actor is its own run; React keeps an actor
   * whose logic is created anew in each render.
   *
   * @example
   * const logic = clerk.logicWith({ store, thread: user.id, onStop: 'suspend' });
   * const actor = createActor(logic, { input: 'Book the room.' });
   *
   * @throws {TroupeError} `agent.invalid` for `onStop: 'suspend'` without a store.
   */
  logicWith(options: LogicOptions): AgentLogic<Input, Output, Chart>;
}
