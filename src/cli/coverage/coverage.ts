import { several } from '../../base/text/number-words.ts';
import { oneLine } from '../../base/text/printable.ts';
import { toMermaid } from '../../machines/diagrams/diagram.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { chartRemark } from '../../runtime/turn/mover.ts';
import { assertPlace, writeReport } from '../evals/write-report.ts';
import { exitCode } from '../exit-code.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { loadAgent } from '../load-agent.ts';
import type { Session } from '../session.ts';
import { withStore } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import { tableLines } from '../terminal/table.ts';
import { widthOf } from '../terminal/terminal.ts';
import type { CoverageCommand } from './coverage-command.ts';
import type { CoveredChart } from './covered-chart.ts';
import { coveredCharts, neverIn, statesIn } from './covered-chart.ts';
import { livedChart } from './lived-chart.ts';
import { recordedWays } from './recorded-ways.ts';

/** The charts as the runs of a store lived them. */
interface LivedStore {
  /** The name of the store. */
  readonly store: string;
  readonly charts: readonly CoveredChart[];
  readonly runs: number;
  readonly left: readonly string[];
  /** The names of other agents that the store has runs of. */
  readonly others: readonly string[];
}

/** `troupe coverage`: what of the charts of an agent or a team stored runs have seen, and what never was, beside what tests have. */
export const coverage = async (wanted: CoverageCommand, session: Session): Promise<number> => {
  const { terminal, settings } = session;
  const { file, exportName, limit, tested, mermaid } = wanted;
  assertPlace('--mermaid', mermaid, session);
  const agent = await loadAgent(file, terminal.folder, exportName);
  const lived = await readLived(agent, limit, session);
  const inTests =
    tested === undefined
      ? undefined
      : await readLived(agent, limit, {
          ...session,
          settings: { ...settings, store: tested, storeOption: '--tested' },
        });
  for (const each of [lived, inTests])
    if (each?.runs === 0) terminal.stderr.write(`${noRunLine(agent.name, each)}\n`);
  if (lived.runs === 0) return exitCode.unanswered;
  await writeReport('--mermaid', mermaid, () => bothCharts(agent, lived), session);
  if (settings.json)
    for (const each of lived.charts) terminal.stdout.write(jsonLine(dataOf(each, lived, inTests)));
  else if (!settings.quiet)
    for (const line of coverageLines(lived, inTests, session)) terminal.stdout.write(`${line}\n`);
  return exitCode.answered;
};

const readLived = async (agent: LoadedAgent, limit: number, session: Session): Promise<LivedStore> => {
  const { chartShape } = await import('../../inspect/recording/chart-shape.ts');
  return withStore(session, async ({ store }) => {
    const { recordings, left, others } = await recordedWays(agent, store, limit);
    const definition = journaledDefinition(agent);
    const shape = chartShape(definition.machine);
    const charts = coveredCharts(recordings, { name: agent.name, shape, definition });
    return { store: store.name, charts, runs: recordings.length, left, others };
  });
};

/** Says that nothing is counted: all would look as if it had never been seen. */
const noRunLine = (agent: string, { store, left, others }: LivedStore): string => {
  const start = `Nothing of '${oneLine(agent, 80)}' can be counted as the store ${store} has no run of it`;
  if (left.length > 0)
    return `${start} that its charts can replay: ${several(left.length, 'run')} left out, as they are not what the charts do now: ${oneLine(left.join(', '), 200)}`;
  return others.length === 0
    ? `${start}: it has no runs at all`
    : `${start}: it has runs of ${oneLine(others.slice(0, SHOWN).join(', '), 200)}`;
};

/** Names that are listed of what was never seen. */
const SHOWN = 20;

const coverageLines = (
  { charts, runs, left }: LivedStore,
  inTests: LivedStore | undefined,
  { terminal, paint }: Session,
): readonly string[] => {
  const width = widthOf(terminal.stdout);
  const head = ['', 'actors', 'states', 'arrows', 'guards'].map((text) => ({ text, paint: paint.dim }));
  const rows = charts.map(({ name, actors, states, arrows, guards }) => [
    { text: oneLine(name, 60), most: 40 },
    { text: String(actors), isRight: true },
    ...[states, arrows, guards].map((counts) => ({
      text: `${counts.size - neverIn(counts).length} of ${counts.size}`,
    })),
  ]);
  const listed = (title: string, ids: readonly string[]): readonly string[] =>
    ids.length === 0
      ? []
      : [
          paint.bold(`${title}: ${ids.length}`),
          ...ids.slice(0, SHOWN).map((id) => `  ${oneLine(id, 300)}`),
          ...(ids.length > SHOWN ? [`  … and ${ids.length - SHOWN} more: --json lists all`] : []),
        ];
  const [root] = charts;
  const others = root === undefined ? undefined : inTests?.charts.find(({ name }) => name === root.name);
  return [
    paint.bold(
      `${several(runs, 'run')}${inTests === undefined ? '' : `, ${several(inTests.runs, 'run')} of tests`}`,
    ),
    ...tableLines([head, ...rows], width),
    ...(left.length === 0
      ? []
      : [
          `${several(left.length, 'run')} left out, as they are not what the charts do now: ${oneLine(left.join(', '), 200)}`,
        ]),
    ...(root === undefined
      ? []
      : [
          ...beyondLines(root),
          ...listed(`States of ${root.name} never seen`, neverIn(root.states)),
          ...listed(`Arrows of ${root.name} never seen`, neverIn(root.arrows)),
          ...(others === undefined
            ? []
            : [
                ...listed(
                  `Arrows of ${root.name} seen, and never by tests`,
                  onlyIn(root.arrows, others.arrows),
                ),
                ...listed(
                  `Arrows of ${root.name} that only tests have seen`,
                  onlyIn(others.arrows, root.arrows),
                ),
              ]),
        ]),
    paint.dim(KEY),
  ];
};

/** The meaning of the names in the report. */
const KEY =
  'actors: agents and teams that went through a chart, once for each time that they were engaged. #0: the first arrow of a state for that event, in the order in which they are tried';

/** Names the parts that were left out, as the agent cannot come to them. */
const beyondLines = ({ name, beyond: { ids, lacking }, shape }: CoveredChart): readonly string[] => {
  if (ids.size === 0) return [];
  const states = statesIn(shape).filter(({ id }) => ids.has(id)).length;
  const counts = `${several(states, 'state')} and ${several(ids.size - states, 'arrow')}`;
  return [
    oneLine(`Left out, as ${name} has not what they are for: ${counts}. It lacks ${lacking.join('; ')}`, 400),
  ];
};

const onlyIn = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): readonly string[] =>
  [...one].flatMap(([id, times]) => (times > 0 && (other.get(id) ?? 0) === 0 ? [id] : []));

const dataOf = (
  { name, actors, states, arrows, guards, beyond }: CoveredChart,
  { runs, left }: LivedStore,
  inTests: LivedStore | undefined,
): object => {
  const others = inTests?.charts.find((each) => each.name === name);
  return {
    name,
    runs,
    left,
    actors,
    states: Object.fromEntries(states),
    arrows: Object.fromEntries(arrows),
    guards: Object.fromEntries(guards),
    beyond: { ids: [...beyond.ids], lacking: beyond.lacking },
    never: { states: neverIn(states), arrows: neverIn(arrows), guards: neverIn(guards) },
    ...(inTests === undefined
      ? {}
      : {
          untested: others === undefined ? [] : onlyIn(arrows, others.arrows),
          onlyTested: others === undefined ? [] : onlyIn(others.arrows, arrows),
        }),
  };
};

/** The chart as it is drawn, and beside it as it was lived: Markdown with two diagrams for each agent. */
const bothCharts = (agent: LoadedAgent, { charts, runs }: LivedStore): string => {
  const { machine } = journaledDefinition(agent);
  const block = (text: string): string => `\`\`\`mermaid\n${text.trimEnd()}\n\`\`\``;
  return [
    `# ${agent.name}, as drawn`,
    block(toMermaid(machine, { remark: chartRemark(machine) })),
    ...charts.flatMap((each) => [
      `# ${each.name}, as ${several(runs, 'run')} lived it`,
      each.actors === 0 ? 'No run has come by here.' : block(livedChart(each)),
    ]),
    '',
  ].join('\n\n');
};
