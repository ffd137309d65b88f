import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';

/** Minimum number of characters of an abbreviated id. */
const FEWEST = 4;

/**
 * Finds the run of that id, or the only one whose id starts with it.
 *
 * @throws {TroupeError} `journal.unknown`; `command.usage` where several begin with it.
 */
export const findRun = async (store: JournalStore, named: string): Promise<RunEntry> => {
  const entry = await store.entry(named);
  if (entry !== undefined) return entry;
  const entries = named.length < FEWEST ? [] : await store.list();
  const meant = runBeginningWith(
    named,
    entries.map(({ runId }) => runId),
  );
  const only = entries.find(({ runId }) => runId === meant);
  if (only === undefined)
    throw new TroupeError(
      'journal.unknown',
      `Cannot find run '${named}' as it is not in ${store.name}: troupe runs lists those that are`,
      { runId: named },
    );
  return only;
};

/**
 * The only one of the ids that starts with what was named; undefined if none does.
 *
 * @throws {TroupeError} `command.usage` where several begin with it.
 */
export const runBeginningWith = (named: string, ids: readonly string[]): string | undefined => {
  const similar = named.length < FEWEST ? [] : ids.filter((runId) => runId.startsWith(named));
  const [only, ...more] = similar;
  if (more.length > 0)
    throw new TroupeError(
      'command.usage',
      `Cannot find run '${named}' as ${similar.length} start with that: ${similar
        .slice(0, 3)
        .join(', ')}${similar.length > 3 ? ' …' : ''}`,
    );
  return only;
};
