import type { RuntimeEvent } from '../contracts/event.ts';
import type { Model } from '../contracts/model.ts';
import type { RunHandle, RunOptions, RunResult, RunTotals } from '../contracts/run.ts';
import { messageOf } from '../contracts/error.ts';
import { answerText } from './answer-text.ts';
import { stopWords, totalsLine } from './ending.ts';
import { exitCode } from './exit-code.ts';
import { failureLine } from './failure-line.ts';
import { personAtTerminal } from './person-at-terminal.ts';
import { progressView } from './progress-view.ts';
import type { Session } from './session.ts';
import { codeOfFailure } from './session.ts';
import type { KeptRun } from './stored/waiting.ts';
import { Waiting } from './stored/waiting.ts';
import { isAttended } from './terminal.ts';

/** How a run is shown. */
export interface Performance {
  readonly session: Session;
  /** In place of the agents' own models. */
  readonly model?: Model | undefined;
  /** What there is to show of a run that ended early; nothing by default. */
  readonly soFar?: ((events: readonly RuntimeEvent[]) => string | undefined) | undefined;
  /** Somebody may answer for a person from elsewhere: the page of an inspector. */
  readonly isAnswerable?: boolean | undefined;
  /** Where the run is kept, if it is. */
  readonly kept?: KeptRun | undefined;
}

/** What this process has to say to a run that it begins or goes on with. */
export type Attendance = Pick<RunOptions, 'signal' | 'person' | 'model'>;

/** Has a run go on before the eyes of whoever sits at the terminal, and answers with the exit code. */
export const perform = async <Output>(
  start: (options: Attendance) => RunHandle<Output, unknown> | Promise<RunHandle<Output, unknown>>,
  { session, model, soFar = () => undefined, isAnswerable = false, kept }: Performance,
): Promise<number> => {
  const { terminal, settings, sidePaint: paint } = session;
  const view = progressView(session);
  const isHere = isAttended(terminal) && !settings.json && kept?.isParked !== true;
  // Where nobody sits here, a run that is kept, or that the page of an inspector steers, waits for an answer from elsewhere.
  const person =
    isHere || (kept === undefined && !isAnswerable) ? personAtTerminal(session, view) : undefined;
  const waiting = kept === undefined ? undefined : new Waiting(kept, session, isHere);
  const events: RuntimeEvent[] = [];
  try {
    const handle = await start({ signal: session.signal, person, ...(model === undefined ? {} : { model }) });
    waiting?.watch(handle);
    handle.events$.subscribe((event) => {
      if (event.type !== 'model.delta') events.push(event);
      view.show(event);
    });
    const result = await Promise.race([handle.result, ...(waiting === undefined ? [] : [waiting.parked])]);
    view.end();
    if (result === 'parked') {
      // What becomes of it here, nobody asks any more.
      handle.result.catch(() => undefined);
      return parked(kept, session);
    }
    return await concluded(result, { session, soFar, kept });
  } catch (thrown) {
    view.end(messageOf(thrown));
    terminal.stderr.write(`${view.hasShown ? '\n' : ''}${failureLine(thrown, paint, settings.debug)}`);
    if (view.hasShown) sayTotals(totalsIn(events), session, kept);
    return codeOfFailure(thrown);
  } finally {
    waiting?.end();
  }
};

const parked = (kept: KeptRun | undefined, { terminal, sidePaint: paint }: Session): number => {
  if (kept === undefined) return exitCode.parked;
  const line = `Parked: it waits. Go on with: troupe resume ${kept.runId}${kept.option}${kept.agentOption ?? ''}`;
  terminal.stderr.write(`${paint.yellow('■')} ${line}\n`);
  return exitCode.parked;
};

const concluded = async (
  { status, output, candidate, stopReason, error, totals, events }: RunResult<unknown, unknown>,
  { session, soFar, kept }: Required<Pick<Performance, 'session' | 'soFar' | 'kept'>>,
): Promise<number> => {
  const { terminal, settings, paint, sidePaint } = session;
  if (status === 'completed') {
    terminal.stderr.write(gap(session));
    if (!settings.json) await say(answerText(output, terminal.stdout, paint), session);
    sayTotals(totals, session, kept);
    return exitCode.answered;
  }
  const isAborted = status === 'aborted';
  const why = isAborted ? 'Stopped by Ctrl-C.' : `Stopped without an answer: ${stopWords(stopReason, error)}`;
  terminal.stderr.write(`${gap(session)}${sidePaint.yellow('■')} ${why}\n`);
  const left = candidate ?? soFar?.(events);
  if (left !== undefined && !settings.json && !settings.quiet) {
    const what = isAborted
      ? 'What there was by then, not yet checked:'
      : 'The last draft, which was not accepted:';
    terminal.stderr.write(`\n${sidePaint.dim(what)}\n\n${answerText(left, terminal.stderr, sidePaint)}`);
  }
  sayTotals(totals, session, kept);
  return isAborted ? exitCode.aborted : exitCode.unanswered;
};

/** Prints the answer; what follows on standard error is then read after it, also by whoever collects both. */
const say = async (text: string, { terminal, settings }: Session): Promise<void> => {
  const isRead = settings.quiet || (terminal.stdout.isTTY === true && terminal.stderr.isTTY === true);
  await new Promise<void>((resolve) => {
    terminal.stdout.write(text, resolve);
  });
  if (!isRead) await new Promise((resolve) => setTimeout(resolve, TURN_MS));
};

/** What a reader of two pipes needs to get from one to the other, in ms. */
const TURN_MS = 25;

const sayTotals = (totals: RunTotals | undefined, session: Session, kept: KeptRun | undefined): void => {
  const { terminal, settings, sidePaint } = session;
  if (totals === undefined || settings.json || settings.quiet) return;
  const run = kept === undefined ? '' : ` · run ${kept.runId}`;
  terminal.stderr.write(`\n${sidePaint.dim(`${totalsLine(totals)}${run}`)}\n`);
};

const totalsIn = (events: readonly RuntimeEvent[]): RunTotals | undefined => {
  const last = events.at(-1);
  return last?.type === 'run.ended' ? last.totals : undefined;
};

/** An empty line between what was shown so far and what comes now. */
const gap = ({ settings }: Session): string => (settings.json || settings.quiet ? '' : '\n');
