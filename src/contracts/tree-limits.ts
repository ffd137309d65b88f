/**
 * How large the tree of a run may grow: who engages one more than that is refused, and goes on without.
 *
 * The limits are hard. A supervisor is told of a refusal as of any member that failed (`limit.reached`); a tool that
 * runs an agent is told by an error of that code.
 */
export interface TreeLimits {
  /** The number of agents that may stand above one: 1 lets the root engage members, and those nobody. Default 20. */
  readonly maxDepth?: number | undefined;
  /** Agents that one agent or team may have at work at the same time. Default 10,000. */
  readonly maxChildren?: number | undefined;
  /**
   * Agents and teams in the whole run, its root and those that are through included. Default 1,000: so many are engaged
   * within a second, which is how soon agents are stopped that have others engage others without end.
   */
  readonly maxAgents?: number | undefined;
}

/** The limits that an agent or a team can set for what is below it: they add to those of the run. */
export type SubtreeLimits = Pick<TreeLimits, 'maxDepth' | 'maxChildren'>;

/** Which limit it was. */
export type TreeLimit = keyof TreeLimits;
