import type { Distribution } from './log-histogram.ts';
import type { MetricsSnapshot, Timing } from './snapshot.ts';

type Labels = Readonly<Record<string, string>>;
interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

/**
 * Formats a snapshot for Prometheus: counters, gauges, and summaries with the quantiles 0.5, 0.9, 0.95 and 0.99.
 * Durations are in seconds, as is its convention.
 *
 * @example
 * const counted = metrics();
 * createServer((_, response) => response.end(snapshotAsPrometheus(counted.snapshot()))).listen(9464);
 */
export const snapshotAsPrometheus = (snapshot: MetricsSnapshot): string =>
  [...totals(snapshot), ...perModel(snapshot), ...perTenant(snapshot), ...timings(snapshot)]
    .filter((text) => text !== '')
    .join('');

const totals = (snapshot: MetricsSnapshot): string[] => {
  const { runs, steps, retries, errors, dropped, budgets, now } = snapshot;
  const { started, ...ends } = runs;
  return [
    counter('runs_started', 'Runs started.', [{ value: started }]),
    counter('runs', 'Runs ended, by status.', by('status', ends)),
    counter('steps', 'Steps of agents.', [{ value: steps }]),
    counter('retries', 'Attempts beyond the first.', by('of', retries)),
    counter('errors', 'Failures, by error code.', by('code', errors)),
    counter('dropped', 'Events and messages dropped by observers and mailboxes.', by('what', dropped)),
    metric(
      'budget_used_ratio',
      'gauge',
      'The largest part of a budget that was used.',
      by('budget', budgets),
    ),
    metric('active', 'gauge', 'Work in progress.', by('what', gaugeNames(now))),
  ];
};

const gaugeNames = ({ streamedCharacters, ...counts }: MetricsSnapshot['now']): Record<string, number> =>
  Object.fromEntries(
    Object.entries({ ...counts, streamedCharacters }).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );

const perModel = ({ models }: MetricsSnapshot): string[] => {
  const tokens = models.flatMap((model) => {
    const { name, inputTokens, outputTokens, cachedTokens, reasoningTokens } = model;
    const types = {
      input: inputTokens,
      output: outputTokens,
      cached: cachedTokens,
      reasoning: reasoningTokens,
    };
    return Object.entries(types).map(([type, value]) => ({ labels: { model: name, type }, value }));
  });
  const of = (value: 'costUsd' | 'unpriced') =>
    models.map((model) => ({ labels: { model: model.name }, value: model[value] }));
  return [
    counter('tokens', 'Tokens of answers; cached and reasoning are parts of the others.', tokens),
    counter('cost_usd', 'What answers cost, where the price is known.', of('costUsd')),
    counter('unpriced', 'Answers whose price is not known.', of('unpriced')),
    summary(
      'model_first_chunk_seconds',
      'Time to the first piece of an answer.',
      'model',
      models.map(({ name, firstChunkMs }) => [name, firstChunkMs] as const),
    ),
  ];
};

const perTenant = ({ tenants }: MetricsSnapshot): string[] => [
  counter(
    'tenant_tokens',
    'Tokens of the runs of a tenant.',
    tenants.flatMap(({ name, inputTokens, outputTokens }) => [
      { labels: { tenant: name, type: 'input' }, value: inputTokens },
      { labels: { tenant: name, type: 'output' }, value: outputTokens },
    ]),
  ),
  counter(
    'tenant_cost_usd',
    'What the runs of a tenant cost, where the price is known.',
    tenants.map(({ name, costUsd }) => ({ labels: { tenant: name }, value: costUsd })),
  ),
];

const timings = ({ runTimes, tenants, agents, models, tools, phases }: MetricsSnapshot): string[] =>
  (
    [
      ['run', 'agent', runTimes],
      ['tenant_run', 'tenant', tenants],
      ['agent', 'agent', agents],
      ['model', 'model', models],
      ['tool', 'tool', tools],
      ['phase', 'phase', phases],
    ] as const
  ).flatMap(([what, label, series]) => [
    counter(`${what}_ends`, `Every finished ${wordsOf(what)}, by outcome.`, outcomes(label, series)),
    summary(
      `${what}_duration_seconds`,
      `Duration of every ${wordsOf(what)}.`,
      label,
      series.map(({ name, durationMs }) => [name, durationMs] as const),
    ),
  ]);

const wordsOf = (name: string): string => name.replaceAll('_', ' ');

const outcomes = (label: string, series: readonly Timing[]): Sample[] =>
  series.flatMap(({ name, done, failed, unfinished }) =>
    Object.entries({ done, failed, unfinished }).map(([outcome, value]) => ({
      labels: { [label]: name, outcome },
      value,
    })),
  );

const by = (label: string, values: Readonly<Record<string, number>>): Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }));

const counter = (name: string, help: string, samples: readonly Sample[]): string =>
  metric(`${name}_total`, 'counter', help, samples);

const metric = (name: string, type: string, help: string, samples: readonly Sample[]): string =>
  samples.length === 0
    ? ''
    : `${heading(name, type, help)}${samples.map((each) => line(name, each)).join('')}`;

const summary = (
  name: string,
  help: string,
  label: string,
  series: readonly (readonly [string, Distribution])[],
): string => {
  const lines = series
    .filter(([, { count }]) => count > 0)
    .flatMap(([of, { p50, p90, p95, p99, sum, count }]) => [
      ...Object.entries({ 0.5: p50, 0.9: p90, 0.95: p95, 0.99: p99 })
        .toSorted(([one], [other]) => Number(one) - Number(other))
        .map(([quantile, ms]) => line(name, { labels: { [label]: of, quantile }, value: ms / 1_000 })),
      line(`${name}_sum`, { labels: { [label]: of }, value: sum / 1_000 }),
      line(`${name}_count`, { labels: { [label]: of }, value: count }),
    ]);
  return lines.length === 0 ? '' : `${heading(name, 'summary', help)}${lines.join('')}`;
};

const heading = (name: string, type: string, help: string): string =>
  `# HELP troupe_${name} ${help}\n# TYPE troupe_${name} ${type}\n`;

const line = (name: string, { labels = {}, value }: Sample): string => {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escapeLabel(text)}"`);
  return `troupe_${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
};

/** Escapes a label value: names come from models and people, too. */
const escapeLabel = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
