import type { TreeLimit } from '../../../contracts/runs/tree-limits.ts';
import type { Scope } from '../write/scope.ts';

/**
 * The recorded outcome of `by` trying to engage `name` at this point; undefined past the end of the records.
 *
 * The limit depends on other scopes, so a replay looks the decision up instead of making it.
 */
export const recordedRefusal = (
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
