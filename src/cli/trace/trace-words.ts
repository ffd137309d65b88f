import { oneLine } from '../../base/text/printable.ts';
import type { TraceAccount, TraceStatus } from '../../inspect/traces/trace-account.ts';
import { answerText } from '../words/answer-text.ts';
import { totalsParts } from '../words/ending.ts';
import { stopWords } from '../../inspect/drawing/stop-words.ts';
import { noticeLines } from '../words/notice-lines.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import type { Paint } from '../terminal/paint.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine, wrappedParts } from '../terminal/wrapped-text.ts';
import type { Session } from '../session.ts';
import { statusPaint, timeWords } from '../stored/run-words.ts';
import type { Screen } from '../terminal/screen.ts';

/** A status in its colour. */
export const traceStatusPaint = (status: TraceStatus, paint: Paint): ((text: string) => string) =>
  status === 'interrupted' ? paint.yellow : statusPaint(status, paint);

/** Formats a run's agent, status, input and start. */
export const headLines = (account: TraceAccount, { paint, columns }: Screen): readonly string[] => {
  const { runId, agent, status, input, startedAt } = account;
  const state = traceStatusPaint(status, paint)(status);
  return [
    fittedLine(`${paint.bold(oneLine(runId))} · ${oneLine(agent)} · ${state}`, columns),
    ...(input === undefined ? [] : wrappedLine(`  ${oneLine(inputWords(input))}`, columns)),
    ...wrappedLine(`  begun ${timeWords(startedAt)}`, columns).map(paint.dim),
  ];
};

const inputWords = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? '');

/** Formats the end of a run, with its totals. */
export const endText = (
  {
    output,
    stopReason,
    status,
    error,
    totals,
  }: Pick<TraceAccount, 'output' | 'stopReason' | 'status' | 'error' | 'totals'>,
  { terminal: { stdout }, paint }: Session,
): string => {
  const columns = widthOf(stdout);
  const sum = wrappedParts(totalsParts(totals), columns).map((line) => `${paint.dim(line)}\n`);
  if (status === 'completed' && output !== undefined)
    return [answerText(output, stdout, paint), '\n', ...sum].join('');
  const words =
    stopReason === undefined
      ? 'It has not ended'
      : `Stopped without an answer: ${stopWords(stopReason, error)}`;
  const why = noticeLines(paint.yellow('■'), { words }, columns, '').map((line) => `${line}\n`);
  return [...why, '\n', ...sum].join('');
};
