import { lasting, several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Comparison } from '../../testing/evals/comparison.ts';
import type { Session } from '../session.ts';
import { tableLines } from '../terminal/table.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';
import { estimateWords, percent, signedDollars, signedScore } from './estimate-words.ts';

/** Runs without a pair that are shown. */
const SHOWN = 10;

/** The lines that a person reads of a comparison. */
export const comparisonLines = (found: Comparison, { terminal, paint }: Session): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, 300)}`, width);
  const { name, candidates, baseline, candidate, pairs, finding, summary, scores, left } = found;
  const style = { better: paint.green, worse: paint.red, 'not established': paint.yellow }[finding];
  const passRate = ({ summary: { passRate: rate } }: typeof baseline): string =>
    rate === undefined ? '' : estimateWords(rate, percent);
  return [
    paint.bold(
      oneLine(`${name}: ${candidates.baseline} and ${candidates.candidate}, ${several(pairs, 'case')}`),
    ),
    ...left.slice(0, SHOWN).flatMap(({ runId, reason }) => text(`? ${runId}: ${reason}`)),
    ...(left.length > SHOWN ? text(`… and ${left.length - SHOWN} more that have no pair`) : []),
    ...tableLines(
      [
        ['', 'passes'].map((each) => ({ text: each, paint: paint.dim })),
        [{ text: oneLine(candidates.baseline, 40) }, { text: passRate(baseline) }],
        [{ text: oneLine(candidates.candidate, 40) }, { text: passRate(candidate) }],
      ],
      width,
    ),
    ...scores.flatMap(({ name: evaluator, difference, finding: of }) =>
      text(
        `${evaluator}: ${difference === undefined ? 'too few cases' : estimateWords(difference, signedScore)}, ${of}`,
      ),
    ),
    ...measureWords(found).flatMap(text),
    style(oneLine(summary, 400)),
  ];
};

/** The differences in cost and time, and what the comparison itself cost. */
export const measureWords = ({ costUsd, durationMs, spent }: Comparison): readonly string[] => [
  ...(costUsd === undefined ? [] : [`Cost of a run: ${estimateWords(costUsd, signedDollars)}`]),
  ...(durationMs === undefined
    ? []
    : [
        `Time of a run: ${estimateWords(durationMs, (ms) => `${ms < 0 ? '−' : '+'}${lasting(Math.abs(ms))}`)}`,
      ]),
  ...(spent === undefined
    ? []
    : [
        `${several(spent.modelCalls, 'live model call')}${spent.costUsd === undefined ? '' : ` for ${dollars(spent.costUsd)}`}; all else was answered from the journals`,
      ]),
];
