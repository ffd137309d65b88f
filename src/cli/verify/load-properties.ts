import { TroupeError } from '../../contracts/errors/error.ts';
import type { Property } from '../../contracts/properties/property.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
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

/**
 * Loads an agent or a team with its properties: the exports `properties` and, for the other options of `verify`, `proof`.
 *
 * @throws {TroupeError} `command.usage` if the file is missing, cannot be loaded, or does not export them.
 */
export const loadProof = async ({ file, exportName }: NamedModule, folder: string): Promise<LoadedProof> => {
  const agent = await loadAgent(file, folder, exportName);
  const { properties = [], proof = {}, ...others } = await printToStderr(() => loadModule(file, folder));
  const list: readonly unknown[] = Array.isArray(properties) ? properties : [];
  const isList = Array.isArray(properties) && list.every(isProperty);
  if (!isList) throw cannot(file, 'its export `properties` is no list of properties', others);
  if (!isObject(proof)) throw cannot(file, 'its export `proof` is no object with options', others);
  return {
    agent,
    others: Object.values(others).filter(isAgent),
    properties: list.filter(isProperty),
    options: proof,
  };
};

/** By its shape: the module may have its own copy of troupe. */
const isProperty = (value: unknown): value is Property =>
  isObject(value) && ['next', 'violation'].every((name) => typeof Reflect.get(value, name) === 'function');

const cannot = (file: string, why: string, others: object): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot load ${file} as ${why}: beside it exports ${Object.keys(others).join(', ') || 'nothing'}; write \`export const properties = [property.never('pay').before('check')]\``,
  );
