/** What a budget can limit. */
export type BudgetKind = 'steps' | 'timeMs' | 'tokens' | 'usd' | 'toolCalls';

/**
 * The most that a run, or an agent in it, may use; unset and `Infinity`: no limit.
 *
 * It holds for the whole tree below: children, team members and parallel calls draw on it together. A model call reserves
 * what it may cost before it is made, and settles what it did cost; where the rest does not suffice while others are under
 * way, it waits for them. The last call may overshoot: by one call, and by what calls use beyond what they reserved.
 *
 * @example
 * agent({ name: 'clerk', budget: { steps: 30, tokens: 50_000, usd: 0.25 } });
 */
export interface Budget {
  /** Steps of all agents together, from 1. Given to an agent, it takes the place of the default of 50. */
  readonly steps?: number | undefined;
  /** In ms since the agent started. Past it (`>`) the agent ends, with all below it: what is under way is aborted, and left behind where it does not end. */
  readonly timeMs?: number | undefined;
  /** In and out together, from 1. */
  readonly tokens?: number | undefined;
  /** In US dollars. With 0 only models that cost nothing are asked. */
  readonly usd?: number | undefined;
  /** Calls that start, attempts not counted. One more is refused, and ends the run; 0 refuses the first. */
  readonly toolCalls?: number | undefined;
  /** The part of a limit from which `budget.warned` is told, once for each kind; above 0, at most 1. Default 0.8. */
  readonly warnAt?: number | undefined;
  /** What becomes of a model without a known price where `usd` is limited. Default `refuse`: the run does not begin. */
  readonly unpriced?: 'refuse' | 'ignore' | undefined;
}

/**
 * A part of somebody's budget for one below: amounts, or a share (above 0, at most 1) of each of the limits that hold for the
 * giver. It is a bound of its own within the giver's, not set aside: what is not used stays the giver's.
 */
export type Allotment = Budget | { readonly share: number };

/** How one kind of budget stands: the tightest of those that hold for an agent, its own and those above it. */
export interface BudgetLine {
  readonly limit: number;
  readonly used: number;
  /** `used / limit`, past 1 after an overshoot; 1 for a limit of 0. */
  readonly fraction: number;
  /** Whose budget it is. */
  readonly path: string;
}

/** How the budgets of an agent stood when its last answer came in; kinds that nothing limits are absent. */
export interface BudgetUse extends Readonly<Partial<Record<BudgetKind, BudgetLine>>> {
  /** When that was, in ms since 1970. */
  readonly at: number;
  /** The agent's own budget limits its steps: then its default of 50 does not. */
  readonly limitsOwnSteps?: boolean | undefined;
  /** Something was refused for want of budget: the run ends with this. */
  readonly spent?: BudgetSpent | undefined;
}

/** Which budget is spent: a stop reason. */
export type BudgetSpent = {
  readonly kind: 'budget';
  readonly budget: BudgetKind;
  readonly limit: number;
  readonly used: number;
  /** Whose budget it is: the agent itself, or one above it. */
  readonly path: string;
};

/** Every kind, in the order in which they are looked at. */
export const budgetKinds = ['steps', 'timeMs', 'tokens', 'usd', 'toolCalls'] as const;
