import type { BeforeEnd, ChildTerms, Delegation } from '../contracts/delegation.ts';

/** Work that an agent gave to another, and all that is to be known of it to have it done. */
export interface Given extends Delegation {
  /** Which of the engagements for work given away is at it: only that one can end it. */
  readonly index: number;
  readonly task: string;
  readonly beforeEnd: BeforeEnd;
  readonly gatherMs: number;
  readonly terms: ChildTerms;
}

/** The work that an agent has given away in a run. */
export interface Delegations {
  readonly given: readonly Given[];
  /** The number of members engaged for it so far. */
  readonly engaged: number;
  /** It has been told that it answers while work is under way. */
  readonly isTold: boolean;
  /** It wants to wait until something comes back. */
  readonly isParked: boolean;
  /** To be engaged at the end of this step, by their ids. */
  readonly beginning: readonly string[];
  /** To be called off, by their addresses. */
  readonly leaving: readonly string[];
  /** To be said to those at work. */
  readonly saying: readonly { readonly path: string; readonly text: string }[];
}

/** Nothing was given away yet. */
export const NOTHING_GIVEN: Delegations = {
  given: [],
  engaged: 0,
  isTold: false,
  isParked: false,
  beginning: [],
  leaving: [],
  saying: [],
};

/** What is still under way. */
export const underWay = (delegations: Delegations | undefined): readonly Given[] =>
  delegations?.given.filter(({ status }) => status === 'working') ?? [];

/** The same, as tools see it. */
export const seenDelegations = (delegations: Delegations | undefined): readonly Delegation[] =>
  (delegations?.given ?? []).map(({ id, to, tool, path, status, conversation }) => {
    return { id, to, tool, path, status, conversation };
  });
