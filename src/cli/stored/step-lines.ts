import type { TakenDecision } from '../../contracts/agents/decision.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import { several, withThousands, lasting } from '../../base/text/number-words.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import { nameOf } from '../../events/progress/activity.ts';
import type { FailedMember, StepEnd, StepView } from '../../inspect/traces/step-view.ts';
import { DistinctNames } from '../progress/distinct-names.ts';
import { fittedLine } from '../terminal/fitted-line.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Screen } from '../terminal/screen.ts';
import type { Cell } from '../terminal/table.ts';
import { tableLines } from '../terminal/table.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import { dollars } from '../words/ending.ts';
import { noticeLines } from '../words/notice-lines.ts';

/** Of a call's input or an answer, on one line. */
const SHORT = 80;
/** Of a result, where a step is shown in full. */
const LONG = 4_000;

/** A remark on a step. */
interface Remark {
  readonly text: string;
  readonly paint?: ((text: string) => string) | undefined;
}

/** Cells that the name of an agent may take. */
const WIDEST_NAME = 32;
/** On a narrower terminal what a step did has the room of what it cost. */
const ROOMY = 60;

/** Formats steps as a table: agent, number, cost, decision; what was remarkable is behind it, or below where it does not fit. */
export const stepLines = (
  steps: readonly StepView[],
  asked: readonly OpenRequest[],
  { paint, columns }: Screen,
): readonly string[] => {
  const names = new DistinctNames();
  for (const { path } of steps) names.add(path);
  const most = Math.min(WIDEST_NAME, Math.floor(columns / 4));
  const rows = steps.map((view) => [
    { text: names.of(view.path), most },
    { text: `step ${view.step}`, paint: paint.dim },
    ...(columns < ROOMY ? [] : costCells(view, paint)),
    decisionCell(view, asked, paint),
  ]);
  return tableLines(rows, columns).flatMap((row, index) => {
    const view = steps[index];
    const remarks = view === undefined ? [] : remarksOn(view, paint);
    const whole = [`  ${row}`, ...remarks.map(paintRemark)].join(
      rows[index]?.at(-1)?.text === '' ? '  ' : ' · ',
    );
    if (fittedLine(whole, columns) === whole) return [whole];
    return [
      fittedLine(`  ${row}`, columns),
      ...remarks.flatMap((remark) =>
        wrappedLine(`      ${remark.text}`, columns).map((text) => paintRemark({ ...remark, text })),
      ),
    ];
  });
};

const paintRemark = ({ text, paint = (plain) => plain }: Remark): string => paint(text);

const costCells = (view: StepView, { dim: paint }: Paint): readonly Cell[] => {
  const { modelCalls, cachedAnswers = 0, tokens, costUsd, record } = view;
  const calls = modelCalls > 1 ? `${several(modelCalls, 'call')}, ` : '';
  const used = modelCalls === 0 ? [] : [`${calls}${withThousands(tokens)} tokens`];
  const kept = cachedAnswers === 0 ? [] : [cachedAnswers === 1 ? 'cached' : `${cachedAnswers} cached`];
  const isFree = modelCalls === 0 || costUsd === 0;
  const cost = costUsd === undefined ? 'cost unknown' : dollars(costUsd);
  return [
    { text: [...used, ...kept].join(', '), paint, isRight: true },
    { text: isFree ? '' : cost, paint, isRight: true },
    { text: record === undefined ? '' : lasting(record.endedAt - record.startedAt), paint, isRight: true },
  ];
};

const decisionCell = (
  { record, cutBy, path }: StepView,
  asked: readonly OpenRequest[],
  paint: Paint,
): Cell => {
  if (record !== undefined) return { text: oneLine(decisionWords(record.decision), 160) };
  if (cutBy !== undefined) return { text: '' };
  return asked.some((request) => request.path === path)
    ? { text: 'waits for a person', paint: paint.yellow }
    : { text: 'in progress', paint: paint.cyan };
};

/** Failures, and what critics said; of a step without a record, how its agent ended within it. */
const remarksOn = ({ record, cutBy }: StepView, paint: Paint): readonly Remark[] => {
  if (record === undefined) return cutBy === undefined ? [] : [cutWords(cutBy, paint)];
  return [
    ...record.results
      .filter(({ ok }) => !ok)
      .map((result) => ({ text: resultWords(result), paint: paint.red })),
    ...record.critiques.map(({ critic, verdict, note }) => ({
      text: oneLine(`${critic}: ${verdict}${note === undefined ? '' : `, ${note}`}`, SHORT),
    })),
  ];
};

const cutWords = ({ status, error }: StepEnd, paint: Paint, most = 160): Remark => {
  if (status !== 'failed') return { text: `cut short: ${status}`, paint: paint.yellow };
  return {
    text: error === undefined ? 'failed' : `failed: ${oneLine(error.message, most)}`,
    paint: paint.red,
  };
};

/** Formats members that failed and whose steps do not show it: one before its first step, or a team. */
export const failedLines = (
  failed: readonly FailedMember[],
  steps: readonly StepView[],
  { paint, columns }: Screen,
): readonly string[] =>
  failed
    .filter(({ path }) => !steps.some((view) => view.path === path && view.cutBy?.status === 'failed'))
    .flatMap(({ path, error }) => {
      const why = oneLine(error?.message ?? 'no error is on record', 160);
      return noticeLines(paint.red('✗'), { words: `${nameOf(path)} failed: ${why}` }, columns).map(paint.red);
    });

/** Formats a step with all its decisions, calls and messages; `events` are those that a fork may change. */
export const stepDetails = (
  view: StepView,
  events: readonly string[],
  { paint, columns }: Screen,
): readonly string[] => {
  const { record, cutBy } = view;
  const cost = costCells(view, paint).flatMap(({ text }) => (text === '' ? [] : [text]));
  const head = fittedLine(
    `${paint.bold(oneLine(view.path))} · step ${view.step}  ${paint.dim(cost.join(' · '))}`,
    columns,
  );
  const wrapped = (text: string): readonly string[] => wrappedLine(text, columns);
  const numbers = events.length === 0 ? [] : wrapped(`  events: ${events.join(', ')}`).map(paint.dim);
  if (record === undefined) {
    const { text, paint: look = paint.cyan } =
      cutBy === undefined ? { text: 'in progress' } : cutWords(cutBy, paint, LONG);
    return [head, ...wrapped(`  ${text}`).map(look), ...numbers, ''];
  }
  return [
    head,
    ...(record.observation === undefined ? [] : wrapped(`  observed: ${showValue(record.observation)}`)),
    ...wrapped(`  decided: ${record.decision === undefined ? 'nothing' : showValue(record.decision)}`),
    ...record.results.flatMap((result) => [
      fittedLine(
        `  ${result.ok ? paint.green('✓') : paint.red('✗')} ${oneLine(result.tool)} · ${lasting(result.durationMs)}`,
        columns,
      ),
      ...indent(result.text).flatMap(wrapped),
    ]),
    ...record.critiques.flatMap(({ critic, verdict, note }) =>
      wrapped(`  ${oneLine(critic)}: ${verdict}${note === undefined ? '' : `, ${oneLine(note, LONG)}`}`),
    ),
    ...Object.entries(record.diff).flatMap(([key, { before, after }]) =>
      wrapped(`  ${oneLine(key)}: ${showValue(before)} → ${showValue(after)}`),
    ),
    ...numbers,
    '',
  ];
};

const decisionWords = (decision: TakenDecision | undefined): string => {
  switch (decision?.kind) {
    case undefined:
      return 'no decision';
    case 'act':
      return decision.calls
        .map(({ name, input }) => `${name} ${oneLine(JSON.stringify(input), SHORT)}`)
        .join(', ');
    case 'answer':
      return `answered ${oneLine(JSON.stringify(decision.answer), SHORT)}`;
    case 'wait':
      return `waits${decision.reason === undefined ? '' : ` for ${decision.reason}`}`;
    case 'handoff':
      return `hands off to ${decision.to}`;
  }
};

const resultWords = ({ tool, text }: ToolResult): string => oneLine(`${tool} failed: ${text}`, 160);

const showValue = (value: unknown): string =>
  value === undefined ? 'nothing' : oneLine(JSON.stringify(value), LONG);

const indent = (text: string): readonly string[] =>
  printable(text.length > LONG ? `${text.slice(0, LONG)}…` : text)
    .split('\n')
    .map((line) => `    ${line}`);
