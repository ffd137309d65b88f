import type { StopReason } from '../../contracts/agents/stop.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { TraceFacts } from '../../inspect/traces/trace.ts';
import type { TraceStatus } from '../../inspect/traces/trace-schema.ts';
import { answerText } from '../words/answer-text.ts';
import { stopWords, totalsLine } from '../words/ending.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Session } from '../session.ts';
import { statusPaint, timeWords } from '../stored/run-words.ts';

/** A status in its colour. */
export const traceStatusWords = (status: TraceStatus, paint: Paint, width = 0): string =>
  (status === 'interrupted' ? paint.yellow : statusPaint(status, paint))(status.padEnd(width));

/** Formats a run's agent, status, input and start. */
export const headLines = (manifest: TraceFacts, paint: Paint): readonly string[] => {
  const { runId, agent, status, input, startedAt } = manifest;
  return [
    `${paint.bold(oneLine(runId))} · ${oneLine(agent)} · ${traceStatusWords(status, paint)}`,
    ...(input === undefined ? [] : [`  ${oneLine(inputWords(input))}`]),
    paint.dim(`  begun ${timeWords(startedAt)}`),
  ];
};

/** Formats the input of a run as text. */
export const inputWords = (input: unknown): string =>
  typeof input === 'string' ? input : JSON.stringify(input ?? '');

/** Formats the end of a run, with its totals. */
export const endText = (manifest: TraceFacts, { terminal, paint }: Session): string => {
  const { status, output, stopReason, error, totals } = manifest;
  const sum = `\n${paint.dim(totalsLine(totals))}\n`;
  if (status === 'completed' && output !== undefined)
    return `${answerText(output, terminal.stdout, paint)}${sum}`;
  if (stopReason === undefined) return `${paint.yellow('■')} It has not ended\n${sum}`;
  // The schema of traces validates its kind; the rest is trusted.
  const reason = stopReason as StopReason;
  return `${paint.yellow('■')} Stopped without an answer: ${stopWords(reason, error)}\n${sum}`;
};
