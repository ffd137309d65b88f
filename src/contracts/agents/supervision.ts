/** The members that restart together with one: only it, all of them, or it and those started after it. */
export type RestartStrategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/**
 * The condition for a restart: whenever it ended without an answer (`permanent`), when it failed (`transient`), or
 * never (`temporary`).
 */
export type RestartKind = 'permanent' | 'transient' | 'temporary';

/**
 * The class of a failure, which selects the reaction. `poison` is a failure that keeps recurring, `crash` an exception
 * of an agent's own code, `bug` one that no repetition can fix.
 */
export type FailureClass =
  | 'rateLimit'
  | 'overflow'
  | 'badOutput'
  | 'outage'
  | 'timeOut'
  | 'crash'
  | 'escalated'
  | 'poison'
  | 'auth'
  | 'bug'
  | 'stopped';

/**
 * The reaction to a failure: `restart`; `backOff` until the provider has capacity; `compact` the conversation, then
 * restart with it; `correct`: restart with a note on what was wrong; `quarantine`: give the task up and report it;
 * `escalate`: the team fails; `stop`: the failure is the member's reply.
 */
export type Directive = 'restart' | 'backOff' | 'compact' | 'correct' | 'quarantine' | 'escalate' | 'stop';

/** Delay before a restart: grows each time, randomised, and resets after a while without failures. */
export interface BackOff {
  /** The least, in ms. Default 200. */
  readonly leastMs?: number | undefined;
  /** The most, in ms. Default 30,000. */
  readonly mostMs?: number | undefined;
  /** Uptime after which the delay resets to the least, in ms. Default 30,000. */
  readonly stableMs?: number | undefined;
}

/** Supervision that a member asks for. */
export interface MemberPolicy {
  /** Default `transient` in a team with a supervision policy, else `temporary`. */
  readonly restart?: RestartKind | undefined;
  readonly backOff?: BackOff | undefined;
  /** Overrides the default reaction to a class of failures. */
  readonly directives?: Readonly<Partial<Record<FailureClass, Directive>>> | undefined;
  /** Failures of one kind in a row that make a task `poison`. Default 3. */
  readonly poisonAfter?: number | undefined;
}

/** A team's reaction to failures of its members. */
export interface SupervisionPolicy extends MemberPolicy {
  /** Default `one-for-one`. */
  readonly strategy?: RestartStrategy | undefined;
  /** Maximum number of restarts within a time; beyond it the team fails. Default 3 in 30,000 ms. */
  readonly intensity?: { readonly restarts: number; readonly withinMs: number } | undefined;
}
