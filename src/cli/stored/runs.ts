import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { StoredFigures } from '../../inspect/local/stored-figures.ts';
import { openRequests } from '../../runtime/journal/letters/requests.ts';
import type { RunsCommand } from '../usage/commands.ts';
import { exitCode } from '../exit-code.ts';
import { screenOf } from '../terminal/screen.ts';
import type { Session } from '../session.ts';
import { heldRuns, INTERRUPTED, leftRunning } from '../../runtime/journal/resume/left-running.ts';
import { commandOf } from './command-record.ts';
import type { OpenStore } from './open-store.ts';
import { withStore } from './open-store.ts';
import { waitingNotices } from './request-words.ts';
import type { ListedRun } from './run-list.ts';
import { listLines } from './run-list.ts';
import { jsonLine, unreadableLine } from './run-words.ts';
import { readStoredRun } from '../../runtime/journal/resume/sound-run.ts';

/** `troupe runs`: the runs of a store, the newest first. */
export const runs = ({ status, limit }: RunsCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { store } = opened;
    const { terminal, settings } = session;
    const found = await store.list({ limit, ...(status === undefined ? {} : { status }) });
    const held = await heldRuns(store);
    const left = await leftRunning(store, found, held);
    const figures = new StoredFigures(store);
    const shown: ListedRun['entry'][] = [];
    for (const entry of found) {
      await figures.read(entry);
      const status = left.has(entry.runId) ? INTERRUPTED : entry.status;
      const { durationMs, tokens, costUsd } = figures.of(entry.runId) ?? {};
      shown.push({ ...entry, status, durationMs, tokens, costUsd });
    }
    if (settings.json) for (const entry of shown) terminal.stdout.write(jsonLine(entry));
    else {
      const listed: ListedRun[] = [];
      for (const entry of shown) listed.push(await lookUpRun(entry, held, opened, session));
      for (const line of listLines(listed, screenOf(session))) terminal.stdout.write(`${line}\n`);
    }
    if (found.length === 0 && (found.unreadable ?? []).length === 0 && !settings.json && !settings.quiet)
      terminal.stderr.write(
        `No ${status?.join(' or ') ?? ''}${status === undefined ? '' : ' '}runs in ${store.name}\n`,
      );
    for (const { id, error } of found.unreadable ?? [])
      terminal.stderr.write(unreadableLine(id, error.message, session));
    return exitCode.answered;
  });

/** Looks up why a listed run failed, or what it waits for and what to type next. */
const lookUpRun = async (
  entry: ListedRun['entry'],
  held: ReadonlySet<string>,
  { store, option }: OpenStore,
  { command }: Session,
): Promise<ListedRun> => {
  const { runId, status } = entry;
  const none = { entry, error: undefined, notices: [] };
  if (status === 'failed') return { ...none, error: await errorOf(store, { ...entry, status }) };
  if (status !== 'waiting' && status !== INTERRUPTED) return none;
  // A run that cannot be read is listed all the same.
  const asked = status === 'waiting' ? await openRequests(store, runId).catch(() => []) : [];
  const open = asked.filter(({ isAnswered }) => !isAnswered);
  if (open.length > 0) return { ...none, notices: waitingNotices(open, runId, option, command) };
  const isAnswered = asked.length > 0 && !held.has(runId);
  if (!isAnswered && status !== INTERRUPTED) return none;
  const code = (await commandOf(store, runId)) === undefined ? ' --agent FILE' : '';
  const words = isAnswered ? 'answered: resume it' : 'its process is gone: resume it';
  return { ...none, notices: [{ words, command: `${command} resume ${runId}${option}${code}` }] };
};

/** The error of a run that failed, as far as its journal tells. */
const errorOf = async (store: JournalStore, entry: RunEntry): Promise<string | undefined> => {
  const last = (await readStoredRun(store, entry)).events.at(-1);
  return last?.type === 'run.ended' ? last.error?.message : undefined;
};
