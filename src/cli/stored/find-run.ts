import { oneLine } from '../../base/text/printable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { timeWords } from './run-words.ts';

/** Minimum number of characters of an abbreviated id. */
const FEWEST = 4;

/** Begins the ids of runs that are begun through servers: nobody types that. */
const COMMON = 'run-';

/**
 * Finds the run of that id, or the only one whose id starts with it, with or without the `run-` of a server's runs.
 *
 * @throws {TroupeError} `journal.unknown`; `command.usage` where several begin with it, with their agents and times.
 */
export const findRun = async (store: JournalStore, named: string): Promise<RunEntry> => {
  const entry = await store.entry(named);
  if (entry !== undefined) return entry;
  const entries = isEnough(named) ? await store.list() : [];
  const similar = entries.filter(({ runId }) => beginsWith(named, runId));
  const [only, ...more] = similar;
  if (only === undefined)
    throw new TroupeError(
      'journal.unknown',
      `Cannot find run '${named}' as it is not in ${store.name}: troupe runs lists those that are`,
      { runId: named },
    );
  if (more.length === 0) return only;
  throw ambiguous(
    named,
    similar.map(({ runId, agent, createdAt }) => `${runId} (${oneLine(agent, 40)}, ${timeWords(createdAt)})`),
  );
};

/**
 * The only one of the ids that starts with what was named; undefined if none does.
 *
 * @throws {TroupeError} `command.usage` where several begin with it.
 */
export const runBeginningWith = (named: string, ids: readonly string[]): string | undefined => {
  const similar = isEnough(named) ? ids.filter((runId) => beginsWith(named, runId)) : [];
  const [only, ...more] = similar;
  if (more.length > 0) throw ambiguous(named, similar);
  return only;
};

const isEnough = (named: string): boolean => named.length >= FEWEST;

const beginsWith = (named: string, runId: string): boolean =>
  runId.startsWith(named) || runId.startsWith(`${COMMON}${named}`);

/** Runs that are listed of those that begin alike. */
const MOST = 8;

const ambiguous = (named: string, similar: readonly string[]): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot find run '${named}' as ${similar.length} start with that: ${similar
      .slice(0, MOST)
      .join(', ')}${similar.length > MOST ? ' …' : ''}`,
  );
