import { oneLine } from '../../base/text/printable.ts';
import type { TraceAccount, TraceStatus } from '../../inspect/traces/trace-account.ts';
import { answerText } from '../words/answer-text.ts';
import { totalsLine } from '../words/ending.ts';
import { stopWords } from '../../inspect/drawing/stop-words.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from '../session.ts';
import { statusPaint, timeWords } from '../stored/run-words.ts';

/** A status in its colour. */
export const traceStatusWords = (status: TraceStatus, paint: Paint, width = 0): string =>
  (status === 'interrupted' ? paint.yellow : statusPaint(status, paint))(status.padEnd(width));

/** Formats a run's agent, status, input and start. */
export const headLines = (account: TraceAccount, paint: Paint): readonly string[] => {
  const { runId, agent, status, input, startedAt } = account;
  return [
    `${paint.bold(oneLine(runId))} · ${oneLine(agent)} · ${traceStatusWords(status, paint)}`,
    ...(input === undefined ? [] : [`  ${oneLine(inputWords(input))}`]),
    paint.dim(`  begun ${timeWords(startedAt)}`),
  ];
};

const inputWords = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? '');

/** Formats the end of a run, with its totals. */
export const endText = (account: TraceAccount, { terminal, paint }: Session): string => {
  const { status, output, stopReason, error, totals } = account;
  const sum = `\n${paint.dim(totalsLine(totals))}\n`;
  if (status === 'completed' && output !== undefined)
    return `${answerText(output, terminal.stdout, paint)}${sum}`;
  if (stopReason === undefined) return `${paint.yellow('■')} It has not ended\n${sum}`;
  return `${paint.yellow('■')} Stopped without an answer: ${stopWords(stopReason, error)}\n${sum}`;
};
