/**
 * Limits on the size of a run's tree: an agent beyond them is refused, and the requester continues without it.
 *
 * The limits are hard. A supervisor sees a refused member as failed (`limit.reached`); a tool that runs an agent gets
 * an error of that code.
 */
export interface TreeLimits {
  /** Maximum number of ancestors of an agent: 1 lets the root engage members, and those nobody. Default 20. */
  readonly maxDepth?: number | undefined;
  /** Maximum number of agents that one agent or team engages at the same time. Default 10,000. */
  readonly maxChildren?: number | undefined;
  /**
   * Maximum number of agents and teams in the whole run, its root and finished ones included. Default 1,000, which
   * bounds agents that engage others without end to about a second.
   */
  readonly maxAgents?: number | undefined;
}

/** Limits that an agent or a team sets for its subtree, in addition to those of the run. */
export type SubtreeLimits = Pick<TreeLimits, 'maxDepth' | 'maxChildren'>;

/** The name of a limit. */
export type TreeLimit = keyof TreeLimits;
