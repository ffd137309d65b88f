import {
  aNumber,
  aText,
  aTime,
  fulfilling,
  objectLike,
  oneOf,
  optional,
  together,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import type { OptionSchema } from '../../../base/schemas/option-schemas.ts';
import { optionsSchema } from '../../../base/schemas/option-schemas.ts';

/** The figures that rules judge; latencies in ms, rates as fractions from 0, costs in US dollars. */
const alertMetrics = [
  'run.latency',
  'agent.latency',
  'model.latency',
  'tool.latency',
  'error.rate',
  'retry.rate',
  'cost',
  'tokens',
  'budget.used',
  'budget.burn',
  'queue.depth',
] as const;

/** A figure that rules judge. */
export type AlertMetric = (typeof alertMetrics)[number];

/**
 * A rule of {@link alerts}, as plain data: a figure, of which part of the work, and the condition under which it fires.
 *
 * It has exactly one condition: `over`, `under`, `rise` or `deviation`. `agent`, `tool`, `model` and `tenant` restrict it to
 * a name; with `'*'` every name is a subject of its own, with its own alerts.
 *
 * @example
 * const dear: AlertRule = { name: 'dear tenants', metric: 'cost', tenant: '*', over: 1, windowMs: 3_600_000 };
 */
export interface AlertRule {
  /** Unique among the rules of a hook. */
  readonly name: string;
  /**
   * `run.latency`: whole runs, waits for people included. `agent.latency`: agents and teams, members included. `error.rate`: the
   * part that failed, of calls where `tool` or `model` is given, else of agents. `retry.rate`: retries for each call.
   * `cost` and `tokens`: the sums of the window. `budget.used`: the largest fraction of a run's budget that was reported.
   * `budget.burn`: the cost of the window as a multiple of the share of `budget` that falls to it. `queue.depth`: tool calls that wait,
   * judged every 5 s.
   */
  readonly metric: AlertMetric;
  /** Name of an agent or team, of `run.latency` that of the root; `'*'`: each. */
  readonly agent?: string | undefined;
  /** Name of a tool; `'*'`: each. */
  readonly tool?: string | undefined;
  /** `provider:id` of a model; `'*'`: each. */
  readonly model?: string | undefined;
  /** As the option `tenant` of {@link alerts} reads it from the context of a run; `'*'`: each. */
  readonly tenant?: string | undefined;
  /** Fires above this value, not at it. */
  readonly over?: number | undefined;
  /** Fires below this value, not at it. */
  readonly under?: number | undefined;
  /** Fires when the value, of latencies the mean, is more than this fraction above that of the window before: 0.5 is half as much again. */
  readonly rise?: number | undefined;
  /**
   * Fires when a value is further from the mean of the up to 1,000 before it than this number of standard deviations; 3 is
   * usual. For latencies, `cost` and `tokens`, from ten values on. Differences within 1 % of the mean, or within 1 ms or token, never fire.
   */
  readonly deviation?: number | undefined;
  /** The quantile of a latency that is judged, such as 0.95. Default: the largest, so that one slow run fires; it then also counts work in progress. */
  readonly percentile?: number | undefined;
  /** For `budget.burn`: US dollars, and the time that they are for, in ms. */
  readonly budget?: { readonly usd: number; readonly perMs: number } | undefined;
  /** Minimum number of values in the window. Default 1. */
  readonly least?: number | undefined;
  /** In ms. Default 60,000. */
  readonly windowMs?: number | undefined;
  /** Default `warning`. */
  readonly severity?: 'info' | 'warning' | 'critical' | undefined;
}

export const WINDOW_MS = 60_000;

/** Slow runs, the rule where none is given. */
export const openingRules: readonly AlertRule[] = [
  { name: 'slow runs', metric: 'run.latency', agent: '*', over: 5_000 },
];

/** The conditions, of which a rule has one. */
export const conditions = ['over', 'under', 'rise', 'deviation'] as const;

export const isLatency = (metric: AlertMetric): boolean => metric.endsWith('.latency');

/** Metrics of which each value can be compared with those before. */
const hasValues = (metric: AlertMetric): boolean =>
  isLatency(metric) || metric === 'cost' || metric === 'tokens';

/** Metrics that are known of a tool, and of a model. */
const known = {
  tool: ['tool.latency', 'error.rate', 'retry.rate', 'queue.depth'],
  model: ['model.latency', 'error.rate', 'retry.rate', 'cost', 'tokens', 'budget.burn'],
} as const satisfies Record<string, readonly AlertMetric[]>;

type Problem = readonly [option: keyof AlertRule, otherwise: string];

const problemOf = (rule: AlertRule): Problem | undefined => {
  const { metric } = rule;
  const [first, second] = conditions.filter((condition) => rule[condition] !== undefined);
  if (first === undefined)
    return ['over', 'missing, as is any other condition: write over, under, rise or deviation'];
  if (second !== undefined)
    return [second, `not possible beside \`${first}\`: write a rule for each condition`];
  for (const of of ['tool', 'model'] as const)
    if (rule[of] !== undefined && !known[of].some((each) => each === metric))
      return [of, `not possible for '${metric}', only for ${known[of].join(', ')}`];
  if (rule.tool !== undefined && rule.model !== undefined)
    return ['model', 'not possible beside `tool`: write a rule for each'];
  if (rule.percentile !== undefined && (!isLatency(metric) || (first !== 'over' && first !== 'under')))
    return ['percentile', 'only possible for a latency with over or under'];
  if (rule.deviation !== undefined && !hasValues(metric))
    return ['deviation', `not possible for '${metric}', only for latencies, cost and tokens`];
  if (rule.rise !== undefined && metric === 'queue.depth')
    return ['rise', `not possible for '${metric}': write over`];
  if (rule.budget === undefined && metric === 'budget.burn')
    return ['budget', 'missing: write { usd: 10, perMs: 86_400_000 }'];
  if (rule.budget !== undefined && metric !== 'budget.burn')
    return ['budget', `not possible for '${metric}', only for budget.burn`];
  return undefined;
};

const aName = (): OptionSchema => optional(aText(1));

const aboveZero = (): OptionSchema =>
  fulfilling((given) => Number.isFinite(given) && Number(given) > 0, 'not a number above 0');

/** The schema of a rule. */
export const ruleSchema = (): OptionSchema =>
  together<AlertRule>(
    optionsSchema<AlertRule>({
      name: aText(1),
      metric: oneOf(alertMetrics),
      agent: aName(),
      tool: aName(),
      model: aName(),
      tenant: aName(),
      over: optional(aNumber(0)),
      under: optional(aNumber(0)),
      rise: optional(aNumber(0)),
      deviation: optional(aboveZero()),
      percentile: optional(
        fulfilling(
          (given) => typeof given === 'number' && given > 0 && given < 1,
          'not a number between 0 and 1',
        ),
      ),
      budget: optional(objectLike({ usd: aboveZero(), perMs: aTime() }, 'not an object')),
      least: optional(wholeNumber(1)),
      windowMs: optional(aboveZero()),
      severity: optional(oneOf(['info', 'warning', 'critical'])),
    }),
    problemOf,
  );
