import type { BeforeEnd, ChildTerms, Delegation } from '../../contracts/tools/delegation.ts';

/** A delegation, with everything needed to execute it. */
export interface Given extends Delegation {
  /** Index of the current engagement: only that one can end the delegation. */
  readonly index: number;
  readonly task: string;
  readonly beforeEnd: BeforeEnd;
  readonly gatherMs: number;
  readonly terms: ChildTerms;
}

/** The delegations of an agent in a run. */
export interface Delegations {
  readonly given: readonly Given[];
  /** Number of delegates engaged so far. */
  readonly engaged: number;
  /** True if it was notified that it answers before its delegates have returned. */
  readonly isNotified: boolean;
  /** True if it waits until a delegate returns. */
  readonly isParked: boolean;
  /** Ids of those to engage at the end of this step. */
  readonly beginning: readonly string[];
  /** Addresses of those to stop. */
  readonly leaving: readonly string[];
  /** Messages to working delegates. */
  readonly saying: readonly { readonly path: string; readonly text: string }[];
}

/** No delegations. */
export const NOTHING_GIVEN: Delegations = {
  given: [],
  engaged: 0,
  isNotified: false,
  isParked: false,
  beginning: [],
  leaving: [],
  saying: [],
};

/** Delegations that are not finished. */
export const underWay = (delegations: Delegations | undefined): readonly Given[] =>
  delegations?.given.filter(({ status }) => status === 'working') ?? [];

/** Delegations as tools see them. */
export const seenDelegations = (delegations: Delegations | undefined): readonly Delegation[] =>
  (delegations?.given ?? []).map(({ id, to, tool, path, status, conversation }) => {
    return { id, to, tool, path, status, conversation };
  });
