import type { History } from '../contracts/history.ts';
import { HistoryView } from '../contracts/history.ts';
import type { Outcome } from '../contracts/run.ts';
import type { Turn } from '../contracts/transcript.ts';
import type { AgentContext } from '../machines/agent-context.ts';
import { isOfRun } from './is-of-run.ts';
import { rememberEnd } from './memory-of.ts';
import { statesOf } from './run-states.ts';
import type { Actor } from './stage.ts';

/** The conversation of an agent that is over, by reference: nothing is copied until somebody asks for it. */
interface Said {
  readonly history: History<Turn>;
  /** Where its own part begins: the prompt of its run. */
  readonly promptAt: number | undefined;
}

const said = new WeakMap<Actor, Said>();

/** Keeps what an agent has heard, said and come to before its machine is stopped: for its result, its thread and its memories. */
export const keepEnd = (actor: Actor, outcome: Outcome): void => {
  const context = actor.definition.agent === undefined ? undefined : actor.run.host.contextOf(actor);
  if (isAgentContext(context)) {
    said.set(actor, { history: context.history, promptAt: context.run.promptAt });
    if (isOfRun(actor)) statesOf(actor.run)?.ended(actor.agent, context.state);
  }
  rememberEnd(actor, outcome);
};

const isAgentContext = (context: unknown): context is AgentContext =>
  typeof context === 'object' && context !== null && 'tally' in context && 'history' in context;

/** The whole conversation of an agent that is over; undefined for a team, and for one that never started. */
export const historyOf = (actor: Actor): History<Turn> | undefined => said.get(actor)?.history;

/** The turns of an agent after its prompt, without what was recalled: that is recalled anew each time. */
export const ownTurns = (actor: Actor): readonly Turn[] => {
  const { history, promptAt } = said.get(actor) ?? {};
  if (history === undefined || promptAt === undefined) return [];
  const own = new HistoryView(history).slice(promptAt + 1);
  return own.filter((turn) => turn.role !== 'user' || turn.from !== 'memory');
};
