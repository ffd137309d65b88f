import type { Json } from '../../../base/json/json.ts';
import type { RunSummary, Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import { stopWords } from '../../drawing/stop-words.ts';
import { countOf, moneyOf, several, spanOf } from '../figures.ts';
import { valueText } from '../transcript.ts';
import type { RunEvents } from './run-events.ts';

/** A figure of two runs, and the difference in words. */
export interface FigureRow extends Sides<string> {
  readonly name: string;
  readonly change: string;
}

/** A side: its totals, and its events. */
export interface FigureSide {
  readonly totals: RunSummary;
  readonly events: Pick<RunEvents, 'all' | 'last' | 'end'>;
}

const SAME = 'same';
const UNKNOWN = 'unknown';
/** Sums of prices differ by less than this for no other reason than how they are added up. */
const LEAST_USD = 1e-9;

/** The figures of two runs, with what the second has more or less than the first. */
export const figureRows = ({ left, right }: Sides<FigureSide>): readonly FigureRow[] => {
  const text = (name: string, of: (side: FigureSide) => string): FigureRow => {
    const [one, other] = [of(left), of(right)];
    return { name, left: one, right: other, change: one === other ? SAME : 'differs' };
  };
  const number = (
    name: string,
    of: (side: FigureSide) => number | undefined,
    words: (value: number) => string,
    changeWords = words,
    least = 0,
  ): FigureRow => {
    const [one, other] = [of(left), of(right)];
    const said = (value: number | undefined): string => (value === undefined ? UNKNOWN : words(value));
    return { name, left: said(one), right: said(other), change: changeOf(one, other, changeWords, least) };
  };
  const counted = (one: string, of: (totals: RunSummary) => number): FigureRow =>
    number(
      `${one.charAt(0).toUpperCase()}${one.slice(1)}s`,
      ({ totals }) => of(totals),
      countOf,
      (value) => several(value, one),
    );
  return [
    text('Input', ({ totals }) => valueOf(totals.input)),
    text('Status', statusOf),
    text('Output', ({ totals }) => valueOf(totals.output)),
    number('Duration', durationOf, spanOf),
    counted('step', ({ steps }) => steps),
    counted('model call', ({ modelCalls }) => modelCalls),
    counted('tool call', ({ toolCalls }) => toolCalls),
    counted('token', ({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    number('Cost', ({ totals }) => totals.costUsd, moneyOf, moneyOf, LEAST_USD),
  ];
};

const valueOf = (value: Json | undefined): string => (value === undefined ? 'none' : valueText(value));

/** The status of a run, and why it ended without an answer. */
const statusOf = ({ events: { end, last } }: FigureSide): string => {
  if (end !== undefined)
    return end.status === 'completed' ? end.status : `${end.status}: ${stopWords(end.stopReason, end.error)}`;
  return last?.type === 'run.paused' ? 'paused' : 'not ended yet';
};

/** The time that it took, or takes so far. */
const durationOf = ({ events: { all, end, last } }: FigureSide): number | undefined => {
  const [first] = all;
  if (end !== undefined) return end.totals.durationMs;
  return first === undefined || last === undefined ? undefined : Math.max(0, last.at - first.at);
};

/** The difference of the second from the first, by a sign. */
const changeOf = (
  one: number | undefined,
  other: number | undefined,
  words: (value: number) => string,
  least: number,
): string => {
  if (one === undefined || other === undefined) return one === other ? SAME : UNKNOWN;
  const change = other - one;
  if (Math.abs(change) <= least) return SAME;
  return `${change > 0 ? '+' : '−'}${words(Math.abs(change))}`;
};
