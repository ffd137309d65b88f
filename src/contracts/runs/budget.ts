/** A resource that a budget can limit. */
export type BudgetKind = 'steps' | 'timeMs' | 'tokens' | 'usd' | 'toolCalls';

/**
 * Limits on what a run, or an agent in it, may use; unset or `Infinity`: no limit.
 *
 * A budget holds for the whole tree below: children, team members and parallel calls draw on it together. A model call
 * reserves its estimated cost before it starts and settles the actual cost after it; if the rest does not suffice while
 * other calls are in flight, it waits for them. The last call may overshoot: by one call, and by what calls use beyond
 * their reservation.
 *
 * @example
 * agent({ name: 'clerk', limits: { budget: { steps: 30, tokens: 50_000, usd: 0.25 } } });
 */
export interface Budget {
  /** Steps of all agents together, from 1. On an agent, it replaces the default of 50. */
  readonly steps?: number | undefined;
  /**
   * In ms since the agent started, without the time in which it or an agent below it waits for a person. Past it (`>`) the agent and everything below it ends: work in flight is aborted, and
   * abandoned if it does not stop.
   */
  readonly timeMs?: number | undefined;
  /** In and out together, from 1. */
  readonly tokens?: number | undefined;
  /**
   * In US dollars. With 0 only free models are asked; a call whose input alone is estimated to cost more than what is left is not made.
   */
  readonly usd?: number | undefined;
  /** Calls that start, attempts not counted. One more is refused, and ends the run; 0 refuses the first. */
  readonly toolCalls?: number | undefined;
  /** The fraction of a limit at which `budget.warned` is emitted, once for each kind; above 0, at most 1. Default 0.8. */
  readonly warnAt?: number | undefined;
  /** Handling of a model without a known price where `usd` is limited. Default `refuse`: the run does not start. */
  readonly unpriced?: 'refuse' | 'ignore' | undefined;
}

/**
 * A part of a budget for a child: amounts, or a share (above 0, at most 1) of each limit that holds for the parent. It
 * is a bound within the parent's budget, not set aside: what the child does not use stays with the parent.
 */
export type Allotment = Budget | { readonly share: number };

/** Use of one kind of budget: the tightest of those that hold for an agent, its own and its ancestors'. */
export interface BudgetLine {
  readonly limit: number;
  readonly used: number;
  /** `used / limit`, past 1 after an overshoot; 1 for a limit of 0. */
  readonly fraction: number;
  /** Address of the actor that the budget belongs to. */
  readonly path: string;
}

/** Use of an agent's budgets when its last answer came in; kinds without a limit are absent. */
export interface BudgetUse extends Readonly<Partial<Record<BudgetKind, BudgetLine>>> {
  /** Time of the reading, in ms since 1970: in journals of versions in which time did not stand still for people. */
  readonly at?: number | undefined;
  /** The agent's own budget limits its steps: then its default of 50 does not. */
  readonly limitsOwnSteps?: boolean | undefined;
  /** Set when something was refused for want of budget: the run ends with this. */
  readonly spent?: BudgetSpent | undefined;
}

/** A spent budget, as a stop reason. */
export type BudgetSpent = {
  readonly kind: 'budget';
  readonly budget: BudgetKind;
  readonly limit: number;
  readonly used: number;
  /** Of a call that was not made: what its input alone would have cost, in US dollars, which is more than what was left. */
  readonly neededUsd?: number | undefined;
  /** Address of the budget's owner: the agent itself, or an ancestor. */
  readonly path: string;
};

/** Every kind, in the order in which they are looked at. */
export const budgetKinds = ['steps', 'timeMs', 'tokens', 'usd', 'toolCalls'] as const;
