import type { TreeLimit } from '../../../contracts/tree-limits.ts';
import type { Scope } from '../write/scope.ts';

/**
 * Checks whether `by` could engage `name` at this very point of what is on record; undefined at its end.
 *
 * How many agents there are follows from more than one scope: what was decided is looked up, not decided
 * again.
 */
export const refusedBefore = (
  scope: Scope,
  by: string,
  name: string,
): { readonly limit: TreeLimit; readonly reason: string } | 'engaged' | undefined => {
  const next = scope.rerun?.next;
  if (next === undefined) return undefined;
  const event = next.kind === 'event' ? next.event : undefined;
  return event?.type === 'member.refused' && event.path === by && event.member === name
    ? { limit: event.limit, reason: event.reason }
    : 'engaged';
};
