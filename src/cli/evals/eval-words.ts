import { lasting, several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { EvalReport } from '../../testing/evals/eval-report.ts';
import type { GateResult } from '../../testing/evals/gate.ts';
import type { GradedCase } from '../../testing/evals/graded-run.ts';
import type { EvaluatorSummary } from '../../testing/evals/summary.ts';
import type { Session } from '../session.ts';
import type { Cell } from '../terminal/table.ts';
import { tableLines } from '../terminal/table.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';
import { briefValue } from '../words/brief-value.ts';
import { estimateWords, percent, score } from './estimate-words.ts';

/** Cases that are shown with what they failed by. */
const SHOWN = 10;

/** Characters of a line, before it is wrapped. */
const LONGEST = 300;

/** The lines that a person reads of an eval. */
export const evalLines = (report: EvalReport, session: Session): readonly string[] => {
  const { paint, terminal } = session;
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const { name, agent, dataset, cases, left, stopped, gates, summary, verdict } = report;
  const failing = cases.filter(({ tries }) => tries.some(({ passed }) => !passed));
  const { skipped } = summary;
  return [
    paint.bold(oneLine(`${name}${agent === undefined ? '' : ` of ${agent}`}, ${dataset}`)),
    ...failing.slice(0, SHOWN).flatMap((each) => caseLines(each, session, text)),
    ...(failing.length > SHOWN
      ? text(`… and ${several(failing.length - SHOWN, 'case')} more that fail`)
      : []),
    ...left.slice(0, SHOWN).flatMap(({ runId, reason }) => text(`? ${runId}: ${reason}`)),
    ...tableLines(evaluatorRows(summary.evaluators, session), width),
    ...skipped.flatMap(({ evaluator, reason }) => text(`${evaluator} was not asked: ${reason}`)),
    ...sumLines(report).flatMap(text),
    ...gates.map((gate) => gateLine(gate, session)),
    ...(stopped === undefined ? [] : text(`Stopped early as ${stopped}`)),
    verdictLine(verdict, session),
  ];
};

const caseLines = (
  { case: row, tries }: GradedCase,
  { paint }: Session,
  text: (said: string) => readonly string[],
): readonly string[] => {
  const passed = tries.filter((run) => run.passed).length;
  const count = tries.length > 1 ? `  ${passed} of ${tries.length} pass` : '';
  const failed = tries.find((run) => !run.passed);
  const reasons = (failed?.evaluations ?? []).filter((each) => !each.passed);
  return [
    `${paint.red('✗')} ${oneLine(row.id, 60)}  ${oneLine(briefValue(row.input), 80)}${count}`,
    ...reasons.flatMap(({ evaluator, reason, error }) =>
      text(`  ${evaluator}: ${error ?? reason ?? 'not passed'}`),
    ),
  ];
};

const evaluatorRows = (
  found: readonly EvaluatorSummary[],
  { paint }: Session,
): readonly (readonly Cell[])[] => {
  const columns: readonly Column[] = [
    { title: 'evaluator', cellOf: ({ name }) => ({ text: oneLine(name, 60), most: 40 }) },
    { title: 'passes', cellOf: ({ passRate }) => ({ text: estimateWords(passRate, percent) }) },
    { title: 'score', cellOf: ({ score: mean }) => ({ text: estimateWords(mean, score) }) },
    {
      title: 'agrees with people',
      cellOf: ({ agreement }) => ({ text: agreement === undefined ? '' : agreementWords(agreement) }),
    },
    {
      title: 'errors',
      cellOf: ({ errors }) => ({ text: errors === 0 ? '' : String(errors), paint: paint.red }),
    },
  ];
  // A column without anything in it has no title either.
  const shown = columns.filter(({ cellOf }) => found.some((each) => cellOf(each).text !== ''));
  if (shown.length === 0) return [];
  return [
    shown.map(({ title }) => ({ text: title, paint: paint.dim })),
    ...found.map((each) => shown.map(({ cellOf }) => cellOf(each))),
  ];
};

interface Column {
  readonly title: string;
  readonly cellOf: (found: EvaluatorSummary) => Cell;
}

/** The agreement of an evaluator with labels: `κ 0.62 (0.31 to 0.93), 34 of 40 labels`. */
export const agreementWords = ({
  kappa,
  bothPass,
  bothFail,
  labelled,
}: NonNullable<EvaluatorSummary['agreement']>): string =>
  `${kappa === undefined ? 'κ is unknown' : `κ ${estimateWords(kappa, score)}`}, ${bothPass + bothFail} of ${several(labelled, 'label')}`;

/** The sums of an eval, each a sentence. */
export const sumLines = ({ summary }: EvalReport): readonly string[] => {
  const { cases, runs, passRate, passPower, costUsd, durationMs, steps, spent, reward, stops } = summary;
  const measured = [
    ...(costUsd === undefined ? [] : [estimateWords(costUsd, dollars)]),
    ...(durationMs === undefined ? [] : [lasting(durationMs.value)]),
    ...(steps === undefined ? [] : [`${score(steps.value)} steps`]),
    ...(reward === undefined ? [] : [`reward ${score(reward)}`]),
  ];
  const ends = Object.entries(stops).map(([stop, count]) => `${stop} ${count}`);
  return [
    `${several(cases, 'case')}, ${several(runs, 'run')}${passRate === undefined ? '' : `: ${estimateWords(passRate, percent)} pass`}`,
    ...(passPower.length < 2
      ? []
      : [passPower.map((each, index) => `pass^${index + 1} ${percent(each.value)}`).join(', ')]),
    ...(measured.length === 0 ? [] : [`A run: ${measured.join(', ')}`]),
    ...(ends.length === 0 ? [] : [`Ended: ${ends.join(', ')}`]),
    ...(spent.judgesUsd > 0 ? [`Judges: ${dollars(spent.judgesUsd)}`] : []),
  ];
};

const gateLine = ({ name, passed, measured, reason }: GateResult, { paint }: Session): string => {
  const found = measured === undefined ? (reason ?? 'not measured') : estimateWords(measured, round);
  return `${passed ? paint.green('✓') : paint.red('✗')} ${oneLine(name)}: ${oneLine(found)}`;
};

/** A measure in the unit of its gate. */
export const round = (value: number): string => String(Math.round(value * 10_000) / 10_000);

const verdictLine = (verdict: EvalReport['verdict'], { paint }: Session): string => {
  const style = { passed: paint.green, failed: paint.red, measured: paint.bold }[verdict];
  return style(verdict === 'measured' ? 'measured, as there are no gates' : verdict);
};
