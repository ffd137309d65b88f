import type { RunEntry } from '../../../contracts/journals/journal.ts';
import { tenantTagIn } from './tenant-ids.ts';

/**
 * Orders runs so that their tenants take turns, each with its runs in the given order: many runs of one do not keep those of others waiting.
 * A tenant with runs `underWay` has had its turns with them.
 */
export const takeTurns = (entries: readonly RunEntry[], underWay: Iterable<string>): readonly RunEntry[] => {
  const counts = new Map<string | undefined, number>();
  const turnOf = (runId: string): number => {
    const tag = tenantTagIn(runId);
    const turn = counts.get(tag) ?? 0;
    counts.set(tag, turn + 1);
    return turn;
  };
  for (const runId of underWay) turnOf(runId);
  return entries
    .map((entry) => ({ entry, turn: turnOf(entry.runId) }))
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ entry }) => entry);
};
