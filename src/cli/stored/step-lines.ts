import { nameOf } from '../../events/progress/activity.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import type { TakenDecision } from '../../contracts/agents/decision.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import { countOf, withThousands, lasting } from '../../base/text/number-words.ts';
import type { Paint } from '../terminal/paint.ts';
import type { FailedMember, StepView } from '../../inspect/traces/step-view.ts';

/** Of a call's input or an answer, on one line. */
const SHORT = 80;
/** Of a result, where a step is shown in full. */
const LONG = 4_000;

/** Formats a step on one line: agent, number, decision, and cost. */
export const stepLine = (view: StepView, paint: Paint): string => {
  const { record } = view;
  const said =
    record === undefined
      ? openWords(view, paint)
      : [
          oneLine(decisionWords(record.decision), 160),
          ...record.results.filter(({ ok }) => !ok).map((result) => paint.red(resultWords(result))),
          ...record.critiques.map(({ critic, verdict, note }) =>
            oneLine(`${critic}: ${verdict}${note === undefined ? '' : `, ${note}`}`, SHORT),
          ),
        ].join(' · ');
  return `  ${nameOf(view.path)} ${paint.dim(`step ${view.step}`)}  ${said}  ${paint.dim(costWords(view))}`.trimEnd();
};

/** Formats members that failed and whose steps do not show it: one before its first step, or a team. */
export const failedLines = (
  failed: readonly FailedMember[],
  steps: readonly StepView[],
  paint: Paint,
): readonly string[] =>
  failed
    .filter(({ path }) => !steps.some((view) => view.path === path && view.cutBy?.status === 'failed'))
    .map(
      ({ path, error }) =>
        `  ${paint.red(`✗ ${nameOf(path)} failed: ${oneLine(error?.message ?? 'no error is on record', 160)}`)}`,
    );

/** Formats a step with all its decisions, calls and messages. */
export const stepDetails = (view: StepView, paint: Paint): readonly string[] => {
  const { record } = view;
  const head = `${paint.bold(oneLine(view.path))} · step ${view.step}  ${paint.dim(costWords(view))}`;
  if (record === undefined) return [head, `  ${openWords(view, paint, LONG)}`, ''];
  return [
    head,
    ...(record.observation === undefined ? [] : [`  observed: ${showValue(record.observation)}`]),
    `  decided: ${record.decision === undefined ? 'nothing' : showValue(record.decision)}`,
    ...record.results.flatMap((result) => [
      `  ${result.ok ? paint.green('✓') : paint.red('✗')} ${oneLine(result.tool)} · ${lasting(result.durationMs)}`,
      ...indent(result.text),
    ]),
    ...record.critiques.map(
      ({ critic, verdict, note }) =>
        `  ${oneLine(critic)}: ${verdict}${note === undefined ? '' : `, ${oneLine(note, LONG)}`}`,
    ),
    ...Object.entries(record.diff).map(
      ([key, { before, after }]) => `  ${oneLine(key)}: ${showValue(before)} → ${showValue(after)}`,
    ),
    '',
  ];
};

/** Describes a step without a record: it is in progress, or its agent ended within it. */
const openWords = ({ cutBy }: StepView, paint: Paint, most = 160): string => {
  if (cutBy === undefined) return paint.cyan('in progress');
  const { status, error } = cutBy;
  if (status !== 'failed') return paint.yellow(`cut short: ${status}`);
  return paint.red(error === undefined ? 'failed' : `failed: ${oneLine(error.message, most)}`);
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

const resultWords = ({ tool, text }: ToolResult): string => oneLine(`${tool} failed: ${text}`, SHORT);

const costWords = ({ modelCalls, tokens, costUsd, record }: StepView): string =>
  [
    ...(modelCalls === 0 ? [] : [countOf(modelCalls, 'model call'), `${withThousands(tokens)} tokens`]),
    ...(modelCalls === 0 || costUsd === 0
      ? []
      : [costUsd === undefined ? 'cost unknown' : `$${costUsd.toPrecision(2)}`]),
    ...(record === undefined ? [] : [lasting(record.endedAt - record.startedAt)]),
  ].join(' · ');

const showValue = (value: unknown): string =>
  value === undefined ? 'nothing' : oneLine(JSON.stringify(value), LONG);

const indent = (text: string): readonly string[] =>
  printable(text.length > LONG ? `${text.slice(0, LONG)}…` : text)
    .split('\n')
    .map((line) => `    ${line}`);
