import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { McpServerOptions } from './mcp-options.ts';

/** Values of the variables that a configuration names. */
export type McpVariables = Readonly<Record<string, string | undefined>>;

/**
 * The options of the servers of a configuration, yet to be checked, in the form of Claude, Cursor or Gemini (`mcpServers`), or of VS Code (`servers`).
 *
 * @throws {TroupeError} `tool.invalid` for what is no configuration, a variable without a value, and what would be ignored
 * though it limits a server.
 */
export const serversIn = (config: unknown, variables: McpVariables): readonly JsonObject[] => {
  const given = toJson(config);
  const servers = isJsonObject(given) ? (given['mcpServers'] ?? given['servers']) : undefined;
  if (!isJsonObject(servers))
    throw unfit(
      'the configuration of MCP servers',
      'it has neither `mcpServers` nor `servers`, an object of servers by name',
    );
  if (isJsonObject(given) && given['mcpServers'] !== undefined && given['servers'] !== undefined)
    throw unfit(
      'the configuration of MCP servers',
      'it has both `mcpServers` and `servers`: write all in one',
    );
  const keys = new Map<string, string>();
  return Object.entries(servers).flatMap(([key, server]) => {
    const owner = `the MCP server '${key}' of the configuration`;
    const other = keys.get(nameOf(key));
    if (other !== undefined)
      throw unfit(owner, `'${other}' comes to the same name, '${nameOf(key)}': rename one of them`);
    keys.set(nameOf(key), key);
    if (!isJsonObject(server)) throw unfit(owner, 'it is not an object with a `command` or a `url`');
    if (server['disabled'] === true || server['enabled'] === false) return [];
    return [serverOf(key, server, (text) => fillIn(text, variables, owner), owner)];
  });
};

const serverOf = (
  key: string,
  server: JsonObject,
  fill: (text: string) => string,
  owner: string,
): JsonObject => {
  const transport = server['type'] ?? server['transport'];
  if (transport === 'sse')
    throw unfit(
      owner,
      'it speaks the old transport `sse`: give the address of its streamable HTTP, and leave `type` out',
    );
  for (const name of Object.keys(server)) {
    if (UNHELD.test(name))
      throw unfit(owner, `\`${name}\` cannot be held: name the tools that it may offer by \`only\``);
    const meant = GUARDS.includes(name) ? undefined : nearestName(name, GUARDS);
    if (meant !== undefined)
      throw unfit(owner, `its option \`${name}\` is unknown: did you mean \`${meant}\`?`);
  }
  const found: Record<string, Json> = { name: nameOf(key) };
  for (const [ours, theirs] of FIELDS) {
    const value = theirs.map((name) => server[name]).find((each) => each !== undefined);
    if (value !== undefined) found[ours] = fillAll(value, fill);
  }
  return found;
};

/** The name of a toolset for a key, which may have any characters. */
const nameOf = (key: string): string => key.replaceAll(/[^A-Za-z0-9_-]+/g, '_');

/** Lists of tools that a server must not offer, and one that may be either. */
const UNHELD = /^(?:exclude|tools$|disabled_?tools|blocked|denied)/i;

/** Options of ours that hold a server back: one that is misspelt must not be taken for a field of another program. */
const GUARDS = ['only', 'safety', 'approval', 'approved', 'onChange', 'elicitation', 'sampling'];

/** Our option, and the names under which configurations have it. */
const FIELDS: readonly (readonly [ours: keyof McpServerOptions, theirs: readonly string[]])[] = [
  ['command', ['command']],
  ['args', ['args']],
  ['env', ['env']],
  ['cwd', ['cwd']],
  ['url', ['url', 'httpUrl', 'serverUrl']],
  ['headers', ['headers']],
  ['only', ['only', 'includeTools', 'enabledTools', 'enabled_tools']],
  ...(
    [
      'safety',
      'approval',
      'approved',
      'onChange',
      'deferred',
      'timeoutMs',
      'taskTimeoutMs',
      'connectTimeoutMs',
      'attempts',
      'optional',
      'elicitation',
      'sampling',
      'resources',
      'prompts',
    ] as const
  ).map((name) => [name, [name]] as const),
];

const fillAll = (value: Json, fill: (text: string) => string): Json => {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((each: Json) => fillAll(each, fill));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, each === undefined ? undefined : fillAll(each, fill)]),
  );
};

/** Puts values in place of `${NAME}`, `${env:NAME}`, `${NAME:-default}` and `${input:ID}`, and of `$NAME` where that is all. */
const fillIn = (text: string, variables: McpVariables, owner: string): string =>
  text
    .replace(/^\$([A-Za-z_]\w*)$/, '${$1}')
    .replaceAll(/\$\{([^{}]*)\}/g, (written: string, inside: string) => {
      const [, name = '', fallback] = VARIABLE.exec(inside) ?? [];
      const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
      const found = value === undefined || value === '' ? fallback : value;
      if (found !== undefined) return found;
      throw unfit(owner, `${written} has no value: ${adviceFor(name)}`);
    });

const VARIABLE = /^(?:env:)?([A-Za-z_]\w*|(?<!env:)input:[\w.-]+)(?::-(.*))?$/;

const adviceFor = (name: string): string => {
  if (name === '') return 'write its value';
  if (!name.startsWith('input:')) return `set ${name}, or give it by \`variables\``;
  const given = `{ ...process.env, '${name}': value }`;
  return `nobody is asked for inputs here. Give it by \`variables: ${given}\`, or write \${env:NAME} for a variable`;
};

const unfit = (owner: string, found: string): TroupeError =>
  new TroupeError('tool.invalid', `Cannot use ${owner} as ${found}`);
