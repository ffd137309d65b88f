import { withThousands } from '../../../base/text/number-words.ts';
import type { AlertMetric, AlertRule } from './alert-rule.ts';
import { isLatency, WINDOW_MS } from './alert-rule.ts';

/** The part of the work that an alert is about: the names that its rule asks for. */
export interface AlertSubject {
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
  readonly model?: string | undefined;
  readonly tenant?: string | undefined;
}

/**
 * A rule that fired for a subject, or is resolved there; plain JSON.
 *
 * It has names, numbers and ids of runs, and nothing of what people, models or tools said.
 */
export interface Alert {
  /** Unique; equal for the same alert if it is sent twice. */
  readonly id: string;
  readonly rule: AlertRule;
  readonly severity: 'info' | 'warning' | 'critical';
  /** `resolved`: the condition holds no longer. */
  readonly status: 'firing' | 'resolved';
  readonly subject: AlertSubject;
  /** In ms since 1970. */
  readonly at: number;
  /** In the unit of the metric; for `rise` a fraction, for `deviation` a number of standard deviations. */
  readonly value: number;
  /** The number in the rule's condition. */
  readonly limit: number;
  /** The runs with the newest values, at most five, the newest first. */
  readonly runs: readonly string[];
  /** The times that the condition held since this was sent last, while it was muted. */
  readonly repeats: number;
  /** One sentence for people. */
  readonly text: string;
}

/** The judgement of a rule. */
export interface Judged {
  readonly value: number;
  readonly isMet: boolean;
}

/** The facts of an alert before it is written out. */
export interface AlertFacts extends Pick<
  Alert,
  'rule' | 'status' | 'subject' | 'at' | 'value' | 'runs' | 'repeats'
> {
  readonly key: string;
}

/** Writes an alert out. */
export const alertOf = ({ key, ...facts }: AlertFacts): Alert => {
  const { rule, status, at } = facts;
  const limit = rule.over ?? rule.under ?? rule.rise ?? rule.deviation ?? 0;
  const id = JSON.stringify([rule.name, key, status, at]);
  const { severity = 'warning' } = rule;
  return { id, ...facts, severity, limit, text: `${rule.name}: ${sentence(facts, limit)}` };
};

const sentence = ({ rule, status, subject, value }: Omit<AlertFacts, 'key'>, limit: number): string => {
  const { metric, windowMs = WINDOW_MS } = rule;
  const names = Object.entries(subject).map(([kind, name]) => `${kind} ${String(name)}`);
  const of = names.length === 0 ? '' : ` of ${names.join(', ')}`;
  if (status === 'resolved') return `${metric}${of} is resolved`;
  if (rule.rise !== undefined)
    return `${metric}${of} rose by ${percent(value)} within ${withThousands(windowMs)} ms, over ${percent(limit)}`;
  if (rule.deviation !== undefined)
    return `${metric}${of} is ${value.toFixed(1)} standard deviations from its mean, over ${limit}`;
  const side = rule.over === undefined ? 'under' : 'over';
  return `${metric}${of} is ${figure(metric, value)}, ${side} ${figure(metric, limit)}`;
};

const percent = (fraction: number): string => `${(fraction * 100).toFixed(0)} %`;

const figure = (metric: AlertMetric, value: number): string => {
  if (isLatency(metric)) return `${withThousands(Math.round(value))} ms`;
  if (metric === 'cost') return `$${value.toFixed(value < 1 ? 4 : 2)}`;
  if (metric === 'tokens' || metric === 'queue.depth') return withThousands(Math.round(value));
  return metric === 'budget.burn' ? `${value.toFixed(2)} times the budget` : `${(value * 100).toFixed(1)} %`;
};
