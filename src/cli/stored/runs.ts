import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import { StoredFigures } from '../../inspect/local/stored-figures.ts';
import { openRequests } from '../../runtime/journal/letters/requests.ts';
import type { RunsCommand } from '../usage/commands.ts';
import { exitCode } from '../exit-code.ts';
import { screenOf } from '../terminal/screen.ts';
import type { Session } from '../session.ts';
import { heldRuns, INTERRUPTED, QUEUED } from '../../runtime/journal/resume/left-running.ts';
import { heldMark } from '../../runtime/journal/versions/held-marks.ts';
import { leftNotice, moveNotice } from './left-words.ts';
import type { OpenStore } from './open-store.ts';
import { withStore } from './open-store.ts';
import { waitingNotices } from './request-words.ts';
import { listedRuns } from './lists/listed-runs.ts';
import type { ListedRun } from './lists/run-list.ts';
import { listLines } from './lists/run-list.ts';
import { jsonLine, unreadableLine } from './run-words.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';

/** `troupe runs`: the runs of a store, the newest first. */
export const runs = ({ status, limit }: RunsCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { store } = opened;
    const { terminal, settings } = session;
    const held = await heldRuns(store);
    const { found, left, unreadable } = await listedRuns(store, { status, limit }, held);
    const figures = new StoredFigures(store);
    const shown: ListedRun['entry'][] = [];
    for (const entry of found) {
      await figures.read(entry);
      const status = left.get(entry.runId) ?? entry.status;
      const { durationMs, tokens, costUsd } = figures.of(entry.runId) ?? {};
      const queuedMs = status === QUEUED ? Date.now() - entry.createdAt : undefined;
      const held = await heldMark(store, entry);
      shown.push({ ...entry, status, durationMs, tokens, costUsd, queuedMs, held });
    }
    if (settings.json) for (const entry of shown) terminal.stdout.write(jsonLine(entry));
    else {
      const lookedUp: ListedRun[] = [];
      for (const entry of shown) lookedUp.push(await lookUpRun(entry, held, opened, session));
      for (const line of listLines(lookedUp, screenOf(session))) terminal.stdout.write(`${line}\n`);
    }
    if (found.length === 0 && unreadable.length === 0 && !settings.json && !settings.quiet)
      terminal.stderr.write(
        `No ${status?.join(' or ') ?? ''}${status === undefined ? '' : ' '}runs in ${store.name}\n`,
      );
    for (const { id, error } of unreadable) terminal.stderr.write(unreadableLine(id, error.message, session));
    return exitCode.answered;
  });

/** Looks up why a listed run failed, or what it waits for and what to type next. */
const lookUpRun = async (
  entry: ListedRun['entry'],
  held: ReadonlySet<string>,
  opened: OpenStore,
  session: Session,
): Promise<ListedRun> => {
  const { store, option } = opened;
  const { runId, status } = entry;
  const none = { entry, error: undefined, notices: [] };
  if (status === 'failed') return { ...none, error: await errorOf(store, { ...entry, status }) };
  if (status === INTERRUPTED || status === QUEUED)
    return {
      ...none,
      notices: [await leftNotice({ entry: { ...entry, status: 'running' }, left: status }, opened, session)],
    };
  if (status === 'moved' || status === 'arriving')
    return { ...none, notices: [await moveNotice(store, { runId, status }, session)] };
  if (status !== 'waiting') return none;
  // A run that cannot be read is listed all the same.
  const asked = await openRequests(store, runId).catch(() => []);
  const open = asked.filter(({ isAnswered }) => !isAnswered);
  if (open.length > 0) return { ...none, notices: waitingNotices(open, runId, option, session.command) };
  if (asked.length === 0 || held.has(runId)) return none;
  return {
    ...none,
    notices: [await leftNotice({ entry: { ...entry, status }, left: 'answered' }, opened, session)],
  };
};

/** The error of a run that failed, as far as its journal tells. */
const errorOf = async (store: JournalStore, entry: RunEntry): Promise<string | undefined> => {
  const last = (await readStoredRun(store, entry)).events.at(-1);
  return last?.type === 'run.ended' ? last.error?.message : undefined;
};
