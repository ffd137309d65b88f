import { lasting, several, withThousands } from '../../base/text/number-words.ts';
import { oneLine, printable } from '../../base/text/printable.ts';
import type { OrderReport } from '../../testing/simulate/order-report.ts';
import type { SimulationFailure, SimulationReport } from '../../testing/simulate/simulation-report.ts';
import type { SimulatedStory } from '../../testing/simulate/story.ts';
import type { Session } from '../session.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';
import type { NamedModule } from '../usage/named-module.ts';
import { briefValue } from '../words/brief-value.ts';

/** Characters of a line, before it is wrapped. */
const LONGEST = 400;

/** The lines that a person reads of a simulation: each failure with its story, then the runs. */
export const simulationLines = (
  report: SimulationReport,
  { file, exportName }: NamedModule,
  { terminal, paint }: Session,
): readonly string[] => {
  const { failures, orders, verdict, daysPerHour } = report;
  const width = widthOf(terminal.stdout);
  const text = (said: string): readonly string[] => wrappedLine(`  ${oneLine(said, LONGEST)}`, width);
  const module = exportName === undefined ? file : `${file}#${exportName}`;
  return [
    ...failures.flatMap((failure) => [
      `${paint.red('✗')} ${oneLine(failure.rule, LONGEST)}`,
      ...text(failure.reason),
      ...storyLines(failure.story).flatMap(text),
      ...text(seedWords(failure, module)).map((line) => paint.dim(line)),
      // Whole, as it is to be copied.
      `  ${printable(JSON.stringify(failure.script))}`,
    ]),
    ...(orders === undefined ? [] : orderLines(orders, { paint, text })),
    paint.bold(runWords(report)),
    ...(verdict === 'stopped' ? ['Stopped early'] : []),
    paint.dim(`${withThousands(daysPerHour)} simulated days per hour`),
  ];
};

/** The moves of a story: with a star those that differ from a calm run. */
export const storyLines = ({ moves }: SimulatedStory): readonly string[] =>
  moves.map(
    ({ by, path, does, atMs, isDecided }, index) =>
      `${isDecided ? '*' : ' '} ${index}. ${atMs === 0 ? '' : `after ${lasting(atMs)}, `}${by}: ${path} ${does}`,
  );

/** The seeds of a failure, and how to see it again. */
const seedWords = (
  { seeds, times, script, decisions, shrunkIn }: SimulationFailure,
  module: string,
): string => {
  const [first, ...others] = seeds;
  const also =
    others.length === 0 ? '' : `, also of ${others.slice(0, 5).join(', ')}${others.length > 5 ? ' …' : ''}`;
  return `Seed ${first ?? ''}${also} (${several(times, 'run')}): ${several(script.decisions.length, 'decision')} of ${decisions}, found in ${several(shrunkIn, 'run')}. Again: troupe simulate ${module} --seed ${first ?? ''} --runs 1`;
};

const orderLines = (
  { tried, isComplete, dependsOn, outcomes }: OrderReport,
  { paint, text }: Pick<Session, 'paint'> & { readonly text: (said: string) => readonly string[] },
): readonly string[] => [
  ...(dependsOn.length === 0
    ? [`${paint.green('✓')} The result depends on no order`]
    : [
        `${paint.yellow('!')} ${oneLine(orderWords(dependsOn), LONGEST)}`,
        ...outcomes
          .slice(0, 2)
          .flatMap(({ status, output, orders, story }) => [
            ...text(
              `${several(orders, 'order')}: ${status}${output === undefined ? '' : ` ${briefValue(output)}`}`,
            ),
            ...storyLines(story).flatMap(text),
          ]),
      ]),
  paint.dim(
    `${several(tried, 'order')} tried: ${isComplete ? 'all that agents can tell apart' : 'there are more'}`,
  ),
];

/** The dependence on an order, in words. */
export const orderWords = (dependsOn: readonly string[]): string =>
  `The result depends on the order of ${dependsOn.join(', ')} and what is ready at the same time`;

/** The runs of a simulation, in words. */
export const runWords = ({ runs, days, ends, failures }: SimulationReport): string =>
  [
    `${several(runs, 'run')}, ${days < 10 ? days.toFixed(1) : withThousands(Math.round(days))} days: ${Object.entries(
      ends,
    )
      .map(([status, count]) => `${count} ${status}`)
      .join(', ')}`,
    failures.length === 0 ? 'nothing failed' : several(failures.length, 'failure'),
  ].join('; ');
