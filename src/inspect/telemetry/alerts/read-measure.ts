import type { AlertSubject } from './alert.ts';
import type { AlertMetric, AlertRule } from './alert-rule.ts';
import type { Measure, MeasuredKind } from './measure.ts';

/** A value of a rule's metric. Rates are sums of values over sums of weights. */
export interface Sample {
  readonly at: number;
  readonly runId: string;
  readonly value: number;
  readonly weight: number;
}

type Read = (measure: Measure, rule: AlertRule) => Pick<Sample, 'value' | 'weight'> | undefined;

const one = (value: number): Pick<Sample, 'value' | 'weight'> => ({ value, weight: 1 });

const latencyOf =
  (kind: MeasuredKind): Read =>
  (measure) =>
    measure.what === 'ended' && measure.kind === kind ? one(measure.ms) : undefined;

const readers: Readonly<Record<AlertMetric, Read>> = {
  'run.latency': latencyOf('run'),
  'agent.latency': latencyOf('agent'),
  'model.latency': latencyOf('model'),
  'tool.latency': latencyOf('tool'),
  'error.rate': (measure, rule) =>
    measure.what === 'ended' && measure.kind === failingKind(rule)
      ? one(measure.hasFailed ? 1 : 0)
      : undefined,
  'retry.rate': (measure) => {
    if (measure.what === 'retried') return { value: 1, weight: 0 };
    return measure.what === 'ended' && (measure.kind === 'model' || measure.kind === 'tool')
      ? one(0)
      : undefined;
  },
  cost: (measure) => (measure.what === 'used' ? one(measure.costUsd) : undefined),
  tokens: (measure) => (measure.what === 'used' ? one(measure.tokens) : undefined),
  'budget.used': (measure) => (measure.what === 'budget' ? one(measure.fraction) : undefined),
  'budget.burn': (measure) => (measure.what === 'used' ? one(measure.costUsd) : undefined),
  'queue.depth': (measure) => (measure.what === 'queued' ? one(measure.by) : undefined),
};

const failingKind = ({ tool, model }: AlertRule): MeasuredKind => {
  if (tool !== undefined) return 'tool';
  return model === undefined ? 'agent' : 'model';
};

/** Returns the value of a rule's metric in a measure; undefined if it has none. */
export const sampleIn = (measure: Measure, rule: AlertRule): Sample | undefined => {
  const found = readers[rule.metric](measure, rule);
  return found && { at: measure.at, runId: measure.runId, ...found };
};

const EACH = '*';
const parts = ['agent', 'tool', 'model', 'tenant'] as const;

/** Returns the subject of a rule that a part of the work belongs to: the names that the rule asks for; undefined if it does not match. */
export const subjectOf = (rule: AlertRule, given: AlertSubject): AlertSubject | undefined => {
  const subject: { -readonly [Part in keyof AlertSubject]: string } = {};
  for (const part of parts) {
    const wanted = rule[part];
    const name = given[part];
    if (wanted === undefined) continue;
    if (name === undefined || (wanted !== EACH && wanted !== name)) return undefined;
    subject[part] = name;
  }
  return subject;
};
