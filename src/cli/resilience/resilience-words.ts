import { lasting, several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Fault } from '../../testing/resilience/fault.ts';
import type {
  FaultOutcome,
  FaultOutcomeKind,
  ResilienceReport,
} from '../../testing/resilience/resilience-report.ts';
import type { Session } from '../session.ts';
import { tableLines } from '../terminal/table.ts';
import { widthOf } from '../terminal/terminal.ts';
import { briefValue } from '../words/brief-value.ts';

/** Outcomes of faults, in words. */
export const outcomeNames: Readonly<Record<FaultOutcomeKind, string>> = {
  same: 'same answer',
  other: 'another answer',
  stopped: 'ended in order',
  failed: 'failed',
  waiting: 'waits for a person',
  hung: 'hung',
  unreached: 'not reached',
};

/** The lines that a person reads of a resilience report: the outcomes of each kind of fault, then the weak points one by one. */
export const resilienceLines = (
  report: ResilienceReport,
  { terminal, paint }: Session,
): readonly string[] => {
  const { agent, baseline, outcomes, weak, stopped } = report;
  const width = widthOf(terminal.stdout);
  const head = ['fault', 'at', 'outcome'].map((text) => ({ text, paint: paint.dim }));
  const rows = groupByKind(outcomes).map(([first, ...others]) => [
    { text: `${first.fault.dependency} ${first.fault.words}`, most: 60 },
    { text: placesOf([first, ...others]), most: 40 },
    {
      text: kindsOf([first, ...others]),
      paint: [first, ...others].some(({ weakness }) => weakness !== undefined) ? paint.red : undefined,
    },
  ]);
  return [
    paint.bold(oneLine(`${agent}: ${baselineWords(report)}`)),
    oneLine(`Without a fault: ${briefValue(baseline.output)}`, 200),
    ...varianceLines(report).map((line) => paint.yellow(line)),
    ...tableLines([head, ...rows], width),
    ...outcomes
      .filter(({ weakness }) => weakness !== undefined)
      .flatMap((each) => [
        `${paint.red('✗')} ${oneLine(`${placeOf(each.fault)} ${each.fault.words}: ${each.weakness ?? ''}; ${endOf(each)}`, 300)}`,
        ...(each.remedy === undefined ? [] : [paint.dim(`  → ${oneLine(each.remedy, 300)}`)]),
      ]),
    ...(stopped === undefined ? [] : [`Stopped early as ${stopped}`]),
    paint.bold(
      weak === 0
        ? `${several(outcomes.length, 'fault')}, no weak point`
        : `${several(outcomes.length, 'fault')}, ${several(weak, 'weak point')}`,
    ),
  ];
};

/** Names all that differs without a fault, too, so that no fault is blamed for it. */
export const varianceLines = ({ baseline: { varies } }: ResilienceReport): readonly string[] => [
  ...(varies.tools.length === 0
    ? []
    : [oneLine(`Differs by itself: equal calls of ${varies.tools.join(', ')} have different results`, 300)]),
  ...(varies.answer
    ? ['Differs by itself: the answer. Another answer is no weak point; `isSame` says what is as good']
    : []),
];

/** The calls and writes of the run without a fault. */
export const baselineWords = ({ baseline: { models, tools, writes } }: ResilienceReport): string =>
  `${several(models.length, 'model call')}, ${several(tools.length, 'tool call')}, ${several(writes, 'write')} to the store`;

/** The place of a fault: `call 2 of weather`, `write 3`. */
export const placeOf = ({ dependency, at, of }: Fault): string =>
  dependency === 'model' || dependency === 'tool' ? `${dependency} call ${at}, ${of ?? ''}` : `write ${at}`;

/** The end of a run with a fault, in words. */
export const endOf = ({
  outcome,
  output,
  stop,
  error,
  waitsFor,
  durationMs,
  retries,
  fellBackTo,
  isResumed,
}: FaultOutcome): string =>
  [
    outcomeNames[outcome],
    ...(outcome === 'other' && output !== undefined ? [briefValue(output)] : []),
    ...(stop === undefined || stop === 'failed' ? [] : [stop]),
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
    ...(waitsFor === undefined ? [] : [waitsFor]),
    ...(retries === 0 ? [] : [several(retries, 'retry', 'retries')]),
    ...fellBackTo.map((model) => `fell back to ${model}`),
    ...(isResumed ? ['resumed'] : []),
    ...(durationMs < 1_000 ? [] : [`after ${lasting(durationMs)}`]),
  ].join(', ');

type Group = readonly [FaultOutcome, ...FaultOutcome[]];

/** The outcomes of each kind of fault together, in the order of the first of each. */
const groupByKind = (outcomes: readonly FaultOutcome[]): readonly Group[] => {
  const groups = new Map<string, [FaultOutcome, ...FaultOutcome[]]>();
  for (const each of outcomes) {
    const known = groups.get(each.fault.kind);
    if (known === undefined) groups.set(each.fault.kind, [each]);
    else known.push(each);
  }
  return [...groups.values()];
};

const placesOf = (group: Group): string => `${group.length} ${group.length === 1 ? 'place' : 'places'}`;

const kindsOf = (group: Group): string => {
  const counts = new Map<FaultOutcomeKind, number>();
  for (const { outcome } of group) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${outcomeNames[kind]}`).join(', ');
};
