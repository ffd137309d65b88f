import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { RunsCommand } from '../usage/command-read.ts';
import { exitCode } from '../exit-code.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from '../session.ts';
import { withStore } from './open-store.ts';
import { readStoredRun } from './stored-run.ts';
import { openRequests } from '../../runtime/journal/letters/requests.ts';
import { isFree, isLeftRunning } from './lease.ts';
import { INTERRUPTED, jsonLine, statusPaint, timeWords, unreadableLine } from './run-words.ts';

/** An entry as it is shown: interrupted, if it is on record as running and no process has it. */
type ShownEntry = Omit<RunEntry, 'status'> & { readonly status: RunEntry['status'] | typeof INTERRUPTED };

const STATUS_WIDTH = 9;
const WIDEST_AGENT = 16;
const WIDEST_ID = 36;

/** `troupe runs`: the runs of a store, the newest first. */
export const runs = ({ status, limit }: RunsCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings, paint } = session;
    const found = await store.list({ limit, ...(status === undefined ? {} : { status }) });
    const shown = await Promise.all(
      found.map(async (entry): Promise<ShownEntry> =>
        (await isLeftRunning(store, entry)) ? { ...entry, status: INTERRUPTED } : entry,
      ),
    );
    if (settings.json) for (const entry of shown) terminal.stdout.write(jsonLine(entry));
    else
      for (const line of table(shown, await errorsOf(store, found), await findAnswered(store, found), paint))
        terminal.stdout.write(`${line}\n`);
    if (found.length === 0 && (found.unreadable ?? []).length === 0 && !settings.json && !settings.quiet)
      terminal.stderr.write(
        `No ${status?.join(' or ') ?? ''}${status === undefined ? '' : ' '}runs in ${store.name}\n`,
      );
    for (const { id, error } of found.unreadable ?? [])
      terminal.stderr.write(unreadableLine(id, error.message, session));
    return exitCode.answered;
  });

/** The errors of runs that failed, by id, as far as their journals tell. */
const errorsOf = async (
  store: JournalStore,
  entries: readonly RunEntry[],
): Promise<ReadonlyMap<string, string>> => {
  const errors = new Map<string, string>();
  for (const entry of entries.filter(({ status }) => status === 'failed')) {
    const last = (await readStoredRun(store, entry)).events.at(-1);
    const error = last?.type === 'run.ended' ? last.error?.message : undefined;
    if (error !== undefined) errors.set(entry.runId, error);
  }
  return errors;
};

/** The waiting runs that no process has and all of whose requests are answered: they go on once they are resumed. */
const findAnswered = async (
  store: JournalStore,
  entries: readonly RunEntry[],
): Promise<ReadonlySet<string>> => {
  const answered = new Set<string>();
  for (const { runId } of entries.filter(({ status }) => status === 'waiting')) {
    // A run that cannot be read is listed all the same.
    const open = await openRequests(store, runId).catch(() => []);
    const isAnswered = open.length > 0 && open.every((request) => request.isAnswered);
    if (isAnswered && (await isFree(store, runId))) answered.add(runId);
  }
  return answered;
};

const table = (
  entries: readonly ShownEntry[],
  errors: ReadonlyMap<string, string>,
  answered: ReadonlySet<string>,
  paint: Paint,
): readonly string[] => {
  const ids = Math.min(WIDEST_ID, Math.max(0, ...entries.map(({ runId }) => runId.length)));
  const statuses = Math.max(STATUS_WIDTH, ...entries.map(({ status }) => status.length));
  const names = Math.min(WIDEST_AGENT, Math.max(0, ...entries.map(({ agent }) => agent.length)));
  return entries.map(({ runId, agent, status, title, createdAt, dueAt, forkedFrom }) => {
    const more = [
      ...(answered.has(runId) ? ['answered: resume it'] : []),
      ...(dueAt === undefined ? [] : [`due ${timeWords(dueAt)}`]),
      ...(forkedFrom === undefined ? [] : [`forked from ${oneLine(forkedFrom, WIDEST_ID)}`]),
    ];
    return [
      oneLine(runId, 80).padEnd(ids),
      statusPaint(status, paint)(status.padEnd(statuses)),
      timeWords(createdAt),
      oneLine(agent, names).padEnd(names),
      oneLine(title, 80),
      ...(errors.has(runId) ? [paint.red(oneLine(errors.get(runId) ?? '', 120))] : []),
      ...(more.length === 0 ? [] : [paint.dim(`(${more.join(', ')})`)]),
    ].join('  ');
  });
};
