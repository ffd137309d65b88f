import type { NamedModule } from '../usage/named-module.ts';
import { namedModule } from '../usage/named-module.ts';
import { atLeastOne, countOf, textOf } from '../usage/option-values.ts';
import { wrong } from '../usage/wrong-usage.ts';

/** Parsed values of options. */
export interface SimulateValues {
  readonly export?: string | undefined;
  readonly seed?: string | undefined;
  readonly runs?: string | undefined;
  readonly days?: string | undefined;
  readonly script?: string | undefined;
  readonly orders?: boolean | undefined;
  readonly write?: string | undefined;
  readonly html?: string | undefined;
}

/** An agent or a team that is run in simulated worlds. */
export interface SimulateCommand extends NamedModule {
  readonly name: 'simulate';
  readonly seed: number | undefined;
  readonly runs: number | undefined;
  readonly days: number | undefined;
  /** The file of a script that is replayed. */
  readonly script: string | undefined;
  readonly orders: boolean;
  /** Files that the script of the first failure, and the page, are written to. */
  readonly write: string | undefined;
  readonly html: string | undefined;
}

/** Builds the command `simulate`. @throws {TroupeError} `command.usage` */
export const simulateCommandFrom = (given: string, values: SimulateValues): SimulateCommand => {
  const name = 'simulate';
  const { orders = false } = values;
  const script = textOf(values.script, '--script', name);
  const idle = (['seed', 'runs', 'days'] as const).find((each) => values[each] !== undefined);
  if (script !== undefined && idle !== undefined && !(orders && idle === 'runs'))
    throw wrong(`--${idle} is of no use with --script, which is one run`, name);
  if (orders && values.days !== undefined) throw wrong('--days is of no use with --orders', name);
  return {
    name,
    ...namedModule(given, values.export, name),
    seed: countOf(values.seed, '--seed', name),
    runs: atLeastOne(values.runs, '--runs', name),
    days: atLeastOne(values.days, '--days', name),
    script,
    orders,
    write: textOf(values.write, '--write', name),
    html: textOf(values.html, '--html', name),
  };
};
