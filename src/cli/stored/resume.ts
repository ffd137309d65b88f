import { TroupeError } from '../../contracts/errors/error.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import { oneLine } from '../../base/text/printable.ts';
import { heldRuns } from '../../runtime/journal/resume/left-running.ts';
import { resumeEach } from '../../runtime/journal/resume/resume-all.ts';
import { markVersion } from '../../runtime/journal/versions/version-marks.ts';
import { assertCallsKept } from '../../runtime/journal/versions/waiting-calls.ts';
import { resume as goOn } from '../../runtime/journal/resume/resume.ts';
import type { Code, ResumeCommand } from '../usage/commands.ts';
import { codeOfFailure, exitCode } from '../exit-code.ts';
import { failureLine } from '../words/failure-line.ts';
import { perform } from '../perform.ts';
import type { Session } from '../session.ts';
import { agentOfRun } from './agent-of-run.ts';
import { findRun } from './find-run.ts';
import type { OpenStore } from './open-store.ts';
import { withStore } from './open-store.ts';
import { unreadableLine } from './run-words.ts';

/** `troupe resume`: resumes a run, or all that are due. */
export const resume = (wanted: ResumeCommand, session: Session): Promise<number> =>
  withStore(session, async (opened) => {
    const { runId, isParked } = wanted;
    if (runId === undefined) return resumeDue(opened, session);
    const entry = await findRun(opened.store, runId);
    if ((await heldRuns(opened.store)).has(entry.runId)) {
      const lease = (await opened.store.leases()).find((each) => each.runId === entry.runId);
      throw heldError(entry.runId, `, ${lease?.holder ?? 'unknown'}${ADVICE}`);
    }
    return resumeHere({ runId: entry.runId, code: wanted, isParked }, opened, session);
  });

/** The run to resume, and its code. */
export interface Resuming {
  readonly runId: string;
  readonly code: Code;
  readonly isParked: boolean;
}

/** Resumes a run in the foreground of the terminal. */
export const resumeHere = async (
  { runId, code, isParked }: Resuming,
  opened: OpenStore,
  session: Session,
): Promise<number> => {
  const { store } = opened;
  const { agent, version, model, soFar, explain } = await agentOfRun(code, { store, runId }, session);
  await assertCallsKept(agent, runId, { store, ...(model === undefined ? {} : { model }) });
  await markVersion(store, runId, version, Date.now());
  const entry = await store.entry(runId);
  const forkedAt = entry?.forkedFrom === undefined ? undefined : entry.createdAt;
  const kept = { ...opened, runId, isParked, forkedAt, agentOption: agentOption(code) };
  return perform((options) => goOn(agent, runId, { ...options, store }), {
    session,
    model,
    soFar,
    explain,
    kept,
  });
};

/** Returns the option that names the code of a run, if the command line named it. */
const agentOption = ({ file, exportName }: Code): string => {
  if (file === undefined) return '';
  return ` --agent ${file}${exportName === undefined ? '' : `#${exportName}`}`;
};

const FROM_RECORD: Code = { file: undefined, exportName: undefined };

/** One after the other; each is left where it has to wait. The exit code is that of the first that did not end well. */
const resumeDue = async (opened: OpenStore, session: Session): Promise<number> => {
  const { store } = opened;
  const { terminal, settings, sidePaint: paint, signal } = session;
  let code: number = exitCode.answered;
  const resumeOne = async ({ runId, title }: RunEntry): Promise<number> => {
    // A run held by another process is skipped silently.
    if ((await heldRuns(store)).has(runId)) throw heldError(runId);
    if (!settings.json && !settings.quiet)
      terminal.stderr.write(`${paint.bold(`run ${runId}`)} ${oneLine(title, 80)}\n`);
    const ended = await resumeHere({ runId, code: FROM_RECORD, isParked: true }, opened, session);
    if (ended !== exitCode.parked) code ||= ended;
    return ended;
  };
  const { resumed, failed, unreadable } = await resumeEach(store, { resumeOne, isDueOnly: true, signal });
  for (const { error } of failed) {
    terminal.stderr.write(failureLine(error, paint, settings.debug));
    code ||= codeOfFailure(error);
  }
  for (const { id, error } of unreadable) {
    terminal.stderr.write(unreadableLine(id, error.message, session));
    code ||= exitCode.unanswered;
  }
  if (signal.aborted) return exitCode.aborted;
  if (resumed.length === 0 && code === exitCode.answered && !settings.json && !settings.quiet)
    terminal.stderr.write(`No run in ${store.name} is due\n`);
  return code;
};

/** The way to a run that a server or a terminal has. */
const ADVICE =
  ': answer what it waits for with troupe approve, deny or answer, which reach it through the store';

const heldError = (runId: string, advice = ''): TroupeError =>
  new TroupeError('journal.held', `Cannot resume run '${runId}' as another process holds it${advice}`, {
    runId,
  });
