import type { StopReason } from '../../contracts/agents/stop-reason.ts';

/** Checks whether it is the team's own budget that is spent, or one above it: then no other member can continue either. */
export const isBudgetOf = ({ path }: { readonly path: string }, reason: StopReason): boolean =>
  reason.kind === 'budget' && (reason.path === path || path.startsWith(`${reason.path}/`));
