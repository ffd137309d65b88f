import { TroupeError } from '../../contracts/errors/error.ts';
import type { Property } from '../../contracts/properties/property.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import type { SimulatedAgent, SimulateOptions } from '../../testing/simulate/simulate-options.ts';
import type { ProofOptions } from '../../testing/verify/verify-options.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { isAgent, loadAgent, loadModule } from '../load-agent.ts';
import { printToStderr } from '../terminal/print-to-stderr.ts';
import type { NamedModule } from '../usage/named-module.ts';

/** The exports of a module for a proof. */
export interface LoadedProof {
  readonly agent: LoadedAgent;
  /** The other agents and teams of the module, whose properties they are, too. */
  readonly others: readonly LoadedAgent[];
  readonly properties: readonly Property[];
  /** Its export `proof`: the other options. They are checked where they are used. */
  readonly options: ProofOptions;
}

/** The exports of a module for a simulation. */
export interface LoadedSimulation {
  readonly agent: SimulatedAgent;
  readonly name: string;
  readonly properties: readonly Property[];
  /** Its export `simulation`: the other options. They are checked where they are used. */
  readonly options: SimulateOptions;
}

/**
 * Loads an agent or a team with its properties: the exports `properties` and, for the other options of `verify`, `proof`.
 *
 * @throws {TroupeError} `command.usage` if the file is missing, cannot be loaded, or does not export them.
 */
export const loadProof = (named: NamedModule, folder: string): Promise<LoadedProof> =>
  loadWith(named, folder, 'proof');

/**
 * Loads an agent or a team with its properties and, for the other options of `simulate`, `simulation`; its `make` makes the agent for each run.
 *
 * @throws {TroupeError} `command.usage` as {@link loadProof} does.
 */
export const loadSimulation = async (named: NamedModule, folder: string): Promise<LoadedSimulation> => {
  const { agent, properties, options } = await loadWith(named, folder, 'simulation');
  const { make, ...others }: { readonly make?: unknown } = options;
  const { name } = agent;
  if (make === undefined) return { agent, name, properties, options: others };
  if (!isMaker(make)) throw cannot(named.file, '`make` of its export `simulation` is no function', options);
  return { agent: make, name, properties, options: others };
};

const isMaker = (given: unknown): given is Extract<SimulatedAgent, (...given: never) => unknown> =>
  typeof given === 'function';

const loadWith = async (
  { file, exportName }: NamedModule,
  folder: string,
  named: 'proof' | 'simulation',
): Promise<{
  readonly agent: LoadedAgent;
  readonly others: readonly LoadedAgent[];
  readonly properties: readonly Property[];
  readonly options: object;
}> => {
  const agent = await loadAgent(file, folder, exportName);
  const exported = await printToStderr(() => loadModule(file, folder));
  const { properties = [], [named]: options = {} } = exported;
  const list: readonly unknown[] = Array.isArray(properties) ? properties : [];
  const isList = Array.isArray(properties) && list.every(isProperty);
  if (!isList) throw cannot(file, 'its export `properties` is no list of properties', exported);
  if (!isObject(options)) throw cannot(file, `its export \`${named}\` is no object with options`, exported);
  const others = Object.values(exported).filter(isAgent);
  return { agent, others, properties: list.filter(isProperty), options };
};

/** By its shape: the module may have its own copy of troupe. */
const isProperty = (value: unknown): value is Property =>
  isObject(value) && ['next', 'violation'].every((name) => typeof Reflect.get(value, name) === 'function');

const cannot = (file: string, why: string, others: object): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot load ${file} as ${why}: beside it exports ${Object.keys(others).join(', ') || 'nothing'}; write \`export const properties = [property.never('pay').before('check')]\``,
  );
