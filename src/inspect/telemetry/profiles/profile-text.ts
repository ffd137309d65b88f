import type { Profile, ProfileRow } from './profile-shape.ts';

/**
 * A profile as a text: a table for people (by agent, phase, model and tool, then the states of each actor), or collapsed stacks, one line
 * each with its self time in microseconds, for tools that draw flame graphs (flamegraph.pl, inferno, speedscope).
 *
 * In stacks, concurrent members are side by side: their widths add up to more than the run's duration.
 *
 * @example
 * console.log(formatProfile(profiled));
 * // run r1 of desk: 1,200 ms, $0.0031
 * // phase      count     ms      %   tokens      cost
 * // DECIDE         3  1,100   91.7    1,204   $0.0031
 * await writeFile('run.folded', formatProfile(profiled, 'stacks')); // desk;working;researcher;ACT;search 120000
 */
export const formatProfile = (profile: Profile, as: 'table' | 'stacks' = 'table'): string =>
  as === 'table' ? tableOf(profile) : stacksOf(profile);

const tableOf = (profile: Profile): string => {
  const { runId, agent, ms, costUsd, agents, phases, models, tools, actors } = profile;
  const parts = [
    `run ${runId} of ${agent}: ${count(ms)} ms${costUsd === 0 ? '' : `, ${money(costUsd)}`}`,
    ...(
      [
        ['agent', agents],
        ['phase', phases],
        ['model', models],
        ['tool', tools],
      ] as const
    ).map(([title, rows]) => table(title, rows, ms)),
    ...(actors.length < 2 ? [] : actors.map((actor) => table(actor.path, actor.phases, actor.ms))),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
};

const stacksOf = ({ stacks }: Profile): string =>
  stacks
    .map(({ frames, ms }) => ({ frames, us: Math.round(ms * 1_000) }))
    .filter(({ us }) => us > 0)
    .map(({ frames, us }) => `${frames.map(frameName).join(';')} ${us}\n`)
    .join('');

const frameName = (frame: string): string => frame.replaceAll(/[;\s]+/gu, '_');

const table = (title: string, rows: readonly ProfileRow[], wholeMs: number): string => {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => [
    row.name,
    count(row.count),
    count(row.ms),
    wholeMs === 0 ? '' : ((100 * row.ms) / wholeMs).toFixed(1),
    row.tokens === 0 ? '' : count(row.tokens),
    row.costUsd === 0 ? '' : money(row.costUsd),
  ]);
  const lines = [[title, 'count', 'ms', '%', 'tokens', 'cost'], ...cells];
  const widths =
    lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const count = (value: number): string => Math.round(value).toLocaleString('en-US');

const money = (usd: number): string => `$${usd.toFixed(4)}`;
