import type { RuntimeEvent } from '../contracts/events/event.ts';
import type { Model } from '../contracts/models/model.ts';
import type { RunHandle } from '../contracts/runs/run-handle.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { RunTotals } from '../contracts/runs/run-totals.ts';
import { isTroupeError, messageOf } from '../contracts/errors/error.ts';
import { answerText } from './words/answer-text.ts';
import { ownTotals, totalsParts } from './words/ending.ts';
import { stopWords } from '../inspect/drawing/stop-words.ts';
import { codeOfFailure, exitCode } from './exit-code.ts';
import { failureLine } from './words/failure-line.ts';
import { personAtTerminal } from './terminal/person-at-terminal.ts';
import { progressView } from './progress/progress-view.ts';
import type { Session } from './session.ts';
import { shownAnswer } from './shown-answer.ts';
import type { KeptRun } from './stored/waiting.ts';
import { Waiting } from './stored/waiting.ts';
import { isAttended, widthOf } from './terminal/terminal.ts';
import { wrappedParts } from './terminal/wrapped-text.ts';
import { noticeLines } from './words/notice-lines.ts';

/** Options of showing a run. */
export interface Performance {
  readonly session: Session;
  /** In place of the agents' own models. */
  readonly model?: Model | undefined;
  /** Returns a partial result of a run that ended early; none by default. */
  readonly soFar?: ((events: readonly RuntimeEvent[]) => string | undefined) | undefined;
  /** Returns an error with what it has to do with the command line; the same by default. */
  readonly explain?: ((thrown: unknown) => unknown) | undefined;
  /** True if requests can be answered elsewhere: on the page of an inspector. */
  readonly isAnswerable?: boolean | undefined;
  /** The stored run, if it is stored. */
  readonly kept?: KeptRun | undefined;
}

/** Options that this process passes to a run that it starts or resumes. */
export type Attendance = Pick<RunOptions, 'signal' | 'person' | 'model'>;

/** Runs in the foreground of the terminal, and returns the exit code. */
export const perform = async <Output>(
  start: (options: Attendance) => RunHandle<Output, unknown> | Promise<RunHandle<Output, unknown>>,
  { session, model, soFar = () => undefined, explain = asItIs, isAnswerable = false, kept }: Performance,
): Promise<number> => {
  const { terminal, settings, sidePaint: paint } = session;
  const view = progressView(session);
  const isHere = isAttended(terminal) && !settings.json && kept?.isParked !== true;
  // Without a person here, a stored run, or one controlled by an inspector's page, waits for an answer from elsewhere.
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
      // Its result here is no longer needed.
      handle.result.catch(() => undefined);
      return reportParked(kept, session);
    }
    return await conclude(result, { session, soFar, kept });
  } catch (thrown) {
    // It continues elsewhere, where it is shown.
    if (isTroupeError(thrown, 'run.suspended')) {
      view.end();
      return exitCode.parked;
    }
    view.end(messageOf(thrown));
    terminal.stderr.write(
      `${view.hasShown ? '\n' : ''}${failureLine(explain(thrown), paint, settings.debug)}`,
    );
    if (view.hasShown) sayTotals(totalsIn(events), session, kept);
    return codeOfFailure(thrown);
  } finally {
    waiting?.end();
  }
};

const asItIs = (thrown: unknown): unknown => thrown;

const reportParked = (
  kept: KeptRun | undefined,
  { terminal, command, sidePaint: paint }: Session,
): number => {
  if (kept === undefined) return exitCode.parked;
  const resume = `${command} resume ${kept.runId}${kept.option}${kept.agentOption ?? ''}`;
  const notice = { words: 'Parked while it waits: resume it', command: resume };
  const lines = noticeLines(paint.yellow('■'), notice, widthOf(terminal.stderr), '');
  terminal.stderr.write(`${lines.join('\n')}\n`);
  return exitCode.parked;
};

const conclude = async (
  { status, output, candidate, stopReason, error, totals, events }: RunResult<unknown, unknown>,
  { session, soFar, kept }: Required<Pick<Performance, 'session' | 'soFar' | 'kept'>>,
): Promise<number> => {
  const { terminal, settings, paint, sidePaint } = session;
  if (status === 'completed') {
    terminal.stderr.write(gap(session));
    const shown = shownAnswer(endIn(events)?.output ?? output, output, session);
    if (!settings.json) await say(answerText(shown, terminal.stdout, paint), session);
    sayTotals(totals, session, kept);
    return exitCode.answered;
  }
  const isAborted = status === 'aborted';
  const why = isAborted ? 'Stopped by Ctrl-C.' : `Stopped without an answer: ${stopWords(stopReason, error)}`;
  const lines = noticeLines(sidePaint.yellow('■'), { words: why }, widthOf(terminal.stderr), '');
  terminal.stderr.write(`${gap(session)}${lines.join('\n')}\n`);
  const left = candidate ?? soFar?.(events);
  if (left !== undefined && !settings.json && !settings.quiet) {
    const what = isAborted ? 'Partial result, not yet checked:' : 'The last draft, which was not accepted:';
    terminal.stderr.write(
      `\n${sidePaint.dim(what)}\n\n${answerText(shownAnswer(left, left, session), terminal.stderr, sidePaint)}`,
    );
  }
  sayTotals(totals, session, kept);
  return isAborted ? exitCode.aborted : exitCode.unanswered;
};

/** Prints the answer, so that later output on standard error also arrives later for a reader of both. */
const say = async (text: string, { terminal, settings }: Session): Promise<void> => {
  const isRead = settings.quiet || (terminal.stdout.isTTY === true && terminal.stderr.isTTY === true);
  await new Promise<void>((resolve) => {
    terminal.stdout.write(text, resolve);
  });
  if (!isRead) await new Promise((resolve) => setTimeout(resolve, TURN_MS));
};

/** Time for a reader of two pipes to switch between them, in ms. */
const TURN_MS = 25;

const sayTotals = (totals: RunTotals | undefined, session: Session, kept: KeptRun | undefined): void => {
  const { terminal, settings, sidePaint } = session;
  if (totals === undefined || settings.json || settings.quiet) return;
  const own = ownTotals(totals, kept?.forkedAt, Date.now());
  const parts = [...totalsParts(own), ...(kept === undefined ? [] : [`run ${kept.runId}`])];
  const lines = wrappedParts(parts, widthOf(terminal.stderr)).map((line) => `${sidePaint.dim(line)}\n`);
  terminal.stderr.write(`\n${lines.join('')}`);
};

const totalsIn = (events: readonly RuntimeEvent[]): RunTotals | undefined => endIn(events)?.totals;

const endIn = (events: readonly RuntimeEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'run.ended' ? last : undefined;
};

/** An empty line between what was shown so far and what comes now. */
const gap = ({ settings }: Session): string => (settings.json || settings.quiet ? '' : '\n');
