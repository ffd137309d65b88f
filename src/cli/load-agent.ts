import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Agent } from '../contracts/agents/agent.ts';
import { isTroupeError, messageOf, TroupeError } from '../contracts/errors/error.ts';
import { printToStderr } from './terminal/print-to-stderr.ts';

/** An agent or team of a foreign module: its types are only checked at run time. */
export type LoadedAgent = Agent<unknown, unknown>;

/**
 * Loads the agent or team that a module exports: the default export, else the only one, or the one that `exportName`
 * names. Output of the module while it loads goes to standard error.
 *
 * @throws {TroupeError} `command.usage` if the file is missing, cannot be loaded, or the export is ambiguous; errors of
 * `agent()` and `tool()` while it loads are passed on.
 */
export const loadAgent = async (
  file: string,
  folder: string,
  exportName: string | undefined,
): Promise<LoadedAgent> => {
  return chooseExport(await printToStderr(() => loadModule(file, folder)), file, exportName);
};

/**
 * Loads the agent of a run: that of its name among the exports of a module; if there is only one to choose, that.
 *
 * @throws {TroupeError} `command.usage` where several are exported, and none has the name; and as {@link loadAgent} does.
 */
export const loadAgentNamed = async (name: string, file: string, folder: string): Promise<LoadedAgent> => {
  const exports = await printToStderr(() => loadModule(file, folder));
  const agents = Object.entries(exports).filter((entry): entry is [string, LoadedAgent] => isAgent(entry[1]));
  const named = new Set(agents.flatMap(([, value]) => (value.name === name ? [value] : [])));
  const [only, ...more] = named;
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined && new Set(agents.map(([, value]) => value)).size < 2)
    return chooseExport(exports, file, undefined);
  const what =
    only === undefined
      ? `it exports several agents, and none of them is '${name}', whose run it is`
      : `it exports several agents of the name '${name}'`;
  const names = agents
    .map(([key, value]) => (key === value.name ? key : `${key} ('${value.name}')`))
    .join(', ');
  throw cannot(file, what, `${names}; choose one as ${file}#NAME, or with --export NAME`);
};

/**
 * Loads all agents and teams that a module exports, or the one that `exportName` names.
 *
 * @throws {TroupeError} as {@link loadAgent} does.
 */
export const loadAgents = async (
  file: string,
  folder: string,
  exportName: string | undefined,
): Promise<readonly LoadedAgent[]> => {
  const exports = await printToStderr(() => loadModule(file, folder));
  if (exportName !== undefined) return [chooseExport(exports, file, exportName)];
  const agents = new Set(Object.values(exports).filter(isAgent));
  return agents.size === 0 ? [chooseExport(exports, file, exportName)] : [...agents];
};

/** An earlier version of an agent. */
export interface LoadedVersion {
  readonly label: string;
  readonly agent: LoadedAgent;
}

/** The export of a module that holds earlier versions of its agents, by labels. */
const VERSIONS = 'versions';

/**
 * Loads the earlier versions of agents that a module exports as `versions`: an object of agents, or lists of them, by labels for people; none by
 * default.
 *
 * @throws {TroupeError} `command.usage` where that is something else, and as {@link loadAgent} does.
 */
export const loadVersions = async (file: string, folder: string): Promise<readonly LoadedVersion[]> => {
  const found = (await loadModule(file, folder))[VERSIONS];
  if (found === undefined || isAgent(found)) return [];
  return Object.entries(Object(found)).flatMap(([label, given]) =>
    [given].flat().map((agent): LoadedVersion => {
      if (isAgent(agent)) return { label, agent };
      throw cannot(
        file,
        `its export '${VERSIONS}' has something that is not an agent or team`,
        `'${label}'; write { 'until 2.0': clerk1 }`,
      );
    }),
  );
};

/** Loads a foreign module, in JavaScript or TypeScript. @throws {TroupeError} as {@link loadAgent} does. */
export const loadModule = async (
  file: string,
  folder: string,
): Promise<Readonly<Record<string, unknown>>> => {
  const place = resolve(folder, file);
  if (!existsSync(place)) throw cannot(file, 'there is no such file', place);
  if (!isScript(place))
    throw cannot(file, 'it is neither JavaScript nor TypeScript', `its name ends in ${extname(place)}`);
  return moduleAt(place, file);
};

/** Checks whether a file is a script by its name; one without an ending may be one, too. */
export const isScript = (file: string): boolean => /^(?:\.[cm]?[jt]sx?)?$/.test(extname(file));

const moduleAt = async (place: string, file: string): Promise<Readonly<Record<string, unknown>>> => {
  const url = pathToFileURL(place).href;
  try {
    return await import(url);
  } catch (thrown) {
    if (codeOf(thrown) === 'ERR_UNKNOWN_FILE_EXTENSION') return typeScriptAt(place, file);
    throw loadError(thrown, file);
  }
};

/** This Node does not read TypeScript: tsx does, where it is installed beside the file. */
const typeScriptAt = async (place: string, file: string): Promise<Readonly<Record<string, unknown>>> => {
  let loader: unknown;
  try {
    loader = await import(loaderBeside(place));
  } catch {
    throw cannot(
      file,
      'this Node does not read TypeScript and tsx is not installed beside it',
      `Node ${process.versions.node}; run \`npm install tsx\`, or use Node 22.18 or later`,
    );
  }
  if (!hasRegister(loader))
    throw cannot(file, 'the tsx that is installed cannot load modules', 'no register');
  try {
    // Registered for the whole process: a separately loaded module would have a copy of troupe of its own, unaware of
    // stored runs.
    loader.register();
    // What it starts by itself, with the options of this process, reads TypeScript as well.
    process.execArgv.push('--import', pathToFileURL(createRequire(place).resolve('tsx')).href);
    // Under another name, as Node remembers that it could not read it.
    const url = `${pathToFileURL(place).href}?typescript`;
    return await import(url);
  } catch (thrown) {
    throw loadError(thrown, file);
  }
};

/** `tsx/esm/api` as an import of the file would find it; what `require` finds of it does not load modules. */
const loaderBeside = (place: string): string => {
  const require = createRequire(place);
  const { exports } = manifestSchema.parse(require('tsx/package.json'));
  const path = join(dirname(require.resolve('tsx/package.json')), exports['./esm/api'].import.default);
  return pathToFileURL(path).href;
};

const manifestSchema = z.object({
  exports: z.object({ './esm/api': z.object({ import: z.object({ default: z.string() }) }) }),
});

interface Loader {
  /** Teaches this process to read TypeScript. */
  register(): unknown;
}

const hasRegister = (loader: unknown): loader is Loader =>
  typeof loader === 'object' &&
  loader !== null &&
  'register' in loader &&
  typeof loader.register === 'function';

const chooseExport = (
  exports: Readonly<Record<string, unknown>>,
  file: string,
  exportName: string | undefined,
): LoadedAgent => {
  if (exportName !== undefined) {
    const named = exports[exportName];
    if (isAgent(named)) return named;
    const names = Object.keys(exports).join(', ') || 'nothing';
    throw cannot(
      file,
      `its export '${exportName}' is not an agent or team`,
      `it exports ${names}; choose one as ${file}#NAME, or with --export NAME`,
    );
  }
  if (isAgent(exports['default'])) return exports['default'];
  const agents = Object.entries(exports).filter((entry): entry is [string, LoadedAgent] => isAgent(entry[1]));
  const [only, another] = agents;
  if (only === undefined) {
    const names = Object.keys(exports).join(', ') || 'nothing';
    throw cannot(
      file,
      'it exports neither an agent nor a team',
      `it exports ${names}; write \`export default\` before the agent`,
    );
  }
  // One agent under two names is one.
  if (another !== undefined && new Set(agents.map(([, value]) => value)).size > 1) {
    const names = agents.map(([name]) => name).join(', ');
    throw cannot(
      file,
      'it exports several agents',
      `${names}; choose one as ${file}#NAME, or with --export NAME`,
    );
  }
  return only[1];
};

/** By its shape: the module may have its own copy of troupe. */
export const isAgent = (value: unknown): value is LoadedAgent =>
  typeof value === 'object' &&
  value !== null &&
  ['run', 'stream', 'diagram'].every((name) => typeof Reflect.get(value, name) === 'function') &&
  typeof Reflect.get(value, 'name') === 'string';

const loadError = (thrown: unknown, file: string): TroupeError =>
  isTroupeError(thrown)
    ? thrown
    : new TroupeError('command.usage', `Cannot load ${file} as it failed: ${messageOf(thrown)}`, {
        cause: thrown,
      });

const cannot = (file: string, reason: string, found: string): TroupeError =>
  new TroupeError('command.usage', `Cannot load ${file} as ${reason}: ${found}`);

const codeOf = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined;
