/** Whose work begins anew when a member's does: only its own, everybody's, or its own and that of all who began after it. */
export type RestartStrategy = 'one-for-one' | 'one-for-all' | 'rest-for-one';

/**
 * When a member is started again: whenever it ended without an answer (`permanent`), when it failed (`transient`), or never
 * (`temporary`).
 */
export type RestartKind = 'permanent' | 'transient' | 'temporary';

/**
 * Why a member failed, as far as it matters for what to do about it. `poison` is a failure that comes again and again,
 * `crash` what an agent's own code threw, `bug` what no repetition can mend.
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
 * What is done about a failure: `restart`; `backOff` until the provider says that there is room; `compact` the conversation, then restart
 * with it; `correct`: restart, and say what was wrong; `quarantine`: give the task up, and tell of it; `escalate`: the
 * team fails; `stop`: the failure is the member's reply.
 */
export type Directive = 'restart' | 'backOff' | 'compact' | 'correct' | 'quarantine' | 'escalate' | 'stop';

/** The time to wait before a restart: longer each time, by chance, and short again after a while without trouble. */
export interface BackOff {
  /** The least, in ms. Default 200. */
  readonly leastMs?: number | undefined;
  /** The most, in ms. Default 30,000. */
  readonly mostMs?: number | undefined;
  /** One that worked for so long begins with the least again, in ms. Default 30,000. */
  readonly stableMs?: number | undefined;
}

/** How a member wants to be treated by whoever supervises it. */
export interface MemberPolicy {
  /** Default `transient` in a team with a supervision policy, else `temporary`. */
  readonly restart?: RestartKind | undefined;
  readonly backOff?: BackOff | undefined;
  /** Instead of what is done about a class of failures by default. */
  readonly directives?: Readonly<Partial<Record<FailureClass, Directive>>> | undefined;
  /** Failures of one kind in a row that make a task `poison`. Default 3. */
  readonly poisonAfter?: number | undefined;
}

/** How a team treats its members when they fail. */
export interface SupervisionPolicy extends MemberPolicy {
  /** Default `one-for-one`. */
  readonly strategy?: RestartStrategy | undefined;
  /** More restarts than so many in so long are an escalation: the team fails. Default 3 in 30,000 ms. */
  readonly intensity?: { readonly restarts: number; readonly withinMs: number } | undefined;
}
