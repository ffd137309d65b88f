import type { Allotment, Budget } from '../../contracts/runs/budget.ts';
import type { Hook } from '../../contracts/events/event.ts';
import type { MailboxOptions } from '../../contracts/messages/message.ts';
import type { MemberPolicy, SupervisionPolicy } from '../../contracts/agents/supervision.ts';
import type { SubtreeLimits } from '../../contracts/runs/tree-limits.ts';

/** Options shared by teams of all patterns. */
export interface TeamSetup {
  readonly name: string;
  readonly description?: string | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /** Mailbox of the team. */
  readonly mailbox?: MailboxOptions | undefined;
  /** Its limits: what all members together may use, and each of them; how large the tree below it may grow. */
  readonly limits?: TeamLimits | undefined;
  /** Handling of failures: of its members, and of itself as a member of another team. */
  readonly failures?: TeamFailures | undefined;
}

/** The limits of a team, and those on the tree below it, within the limits of the run. */
export interface TeamLimits extends SubtreeLimits {
  /** Budget of all members together in a run. */
  readonly budget?: Budget | undefined;
  /**
   * Parts of the budget by role, for each engagement of the member: amounts, or shares of the team's limits. A member that uses up its part
   * stops with a partial result; the team continues.
   */
  readonly budgets?: Readonly<Record<string, Allotment>> | undefined;
  /** Longest time that a member may work on a task, waits for people not counted, in ms; then it is stopped and has failed. Default: unlimited. */
  readonly memberTimeMs?: number | undefined;
}

/** Handling of failures in a team. */
export interface TeamFailures {
  /** Policy for members that fail. Without one, a failure is the member's reply, which the pattern handles. */
  readonly supervision?: SupervisionPolicy | undefined;
  /** Supervision policy that this team wants as a member. */
  readonly asMember?: MemberPolicy | undefined;
}
