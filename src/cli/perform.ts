import type { Agent } from '../contracts/agent.ts';
import type { RuntimeEvent } from '../contracts/event.ts';
import type { Model } from '../contracts/model.ts';
import type { RunResult, RunTotals } from '../contracts/run.ts';
import { messageOf } from '../contracts/error.ts';
import { answerText } from './answer-text.ts';
import { stopWords, totalsLine } from './ending.ts';
import { exitCode } from './exit-code.ts';
import { failureLine } from './failure-line.ts';
import { personAtTerminal } from './person-at-terminal.ts';
import { progressView } from './progress-view.ts';
import type { Session } from './session.ts';
import { codeOfFailure } from './session.ts';

/** How a run is shown. */
export interface Performance {
  readonly session: Session;
  /** In place of the agents' own models. */
  readonly model?: Model | undefined;
  /** What there is to show of a run that ended early; nothing by default. */
  readonly soFar?: ((events: readonly RuntimeEvent[]) => string | undefined) | undefined;
}

/** Runs an agent or a team before the eyes of whoever sits at the terminal, and answers with the exit code. */
export const perform = async <Input, Output>(
  agent: Agent<Input, Output>,
  input: Input,
  { session, model, soFar = () => undefined }: Performance,
): Promise<number> => {
  const view = progressView(session);
  const person = personAtTerminal(session, view);
  const events: RuntimeEvent[] = [];
  try {
    const handle = agent.stream(input, {
      signal: session.signal,
      person,
      ...(model === undefined ? {} : { model }),
    });
    handle.events$.subscribe((event) => {
      if (event.type !== 'model.delta') events.push(event);
      view.show(event);
    });
    const result = await handle.result;
    view.end();
    return await concluded(result, session, soFar);
  } catch (thrown) {
    view.end(messageOf(thrown));
    const { terminal, settings, sidePaint: paint } = session;
    terminal.stderr.write(`${view.hasShown ? '\n' : ''}${failureLine(thrown, paint, settings.debug)}`);
    if (view.hasShown) sayTotals(totalsIn(events), session);
    return codeOfFailure(thrown);
  }
};

const concluded = async (
  { status, output, candidate, stopReason, error, totals, events }: RunResult<unknown>,
  session: Session,
  soFar: (events: readonly RuntimeEvent[]) => string | undefined,
): Promise<number> => {
  const { terminal, settings, paint, sidePaint } = session;
  if (status === 'completed') {
    terminal.stderr.write(gap(session));
    if (!settings.json) await say(answerText(output, terminal.stdout, paint), session);
    sayTotals(totals, session);
    return exitCode.answered;
  }
  const isAborted = status === 'aborted';
  const why = isAborted ? 'Stopped by Ctrl-C.' : `Stopped without an answer: ${stopWords(stopReason, error)}`;
  terminal.stderr.write(`${gap(session)}${sidePaint.yellow('■')} ${why}\n`);
  const left = candidate ?? soFar(events);
  if (left !== undefined && !settings.json && !settings.quiet) {
    const what = isAborted
      ? 'What there was by then, not yet checked:'
      : 'The last draft, which was not accepted:';
    terminal.stderr.write(`\n${sidePaint.dim(what)}\n\n${answerText(left, terminal.stderr, sidePaint)}`);
  }
  sayTotals(totals, session);
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

const sayTotals = (totals: RunTotals | undefined, session: Session): void => {
  const { terminal, settings, sidePaint } = session;
  if (totals === undefined || settings.json || settings.quiet) return;
  terminal.stderr.write(`\n${sidePaint.dim(totalsLine(totals))}\n`);
};

const totalsIn = (events: readonly RuntimeEvent[]): RunTotals | undefined => {
  const last = events.at(-1);
  return last?.type === 'run.ended' ? last.totals : undefined;
};

/** An empty line between what was shown so far and what comes now. */
const gap = ({ settings }: Session): string => (settings.json || settings.quiet ? '' : '\n');
