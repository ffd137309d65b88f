import { parseArgs } from 'node:util';
import { messageOf, TroupeError } from '../contracts/error.ts';

/** What every command understands. */
export interface Settings {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly model: string | undefined;
  readonly debug: boolean;
  readonly color: boolean;
}

/** What is to be done, read off the command line. */
export type Command =
  | { readonly name: 'help'; readonly about: CommandName | undefined }
  | { readonly name: 'version' }
  | {
      readonly name: 'ask';
      readonly question: string | undefined;
      readonly folder: string | undefined;
      /** In US dollars. */
      readonly budget: number | undefined;
      /** A folder. */
      readonly memory: string | undefined;
    }
  | {
      readonly name: 'run';
      readonly file: string;
      readonly input: string | undefined;
      readonly isData: boolean;
      readonly exportName: string | undefined;
    }
  | { readonly name: 'graph'; readonly file: string; readonly exportName: string | undefined };

/** A command, and how it is to go about. */
export interface Usage {
  readonly command: Command;
  readonly settings: Settings;
}

export type CommandName = 'ask' | 'run' | 'graph';

const COMMANDS: readonly string[] = ['ask', 'run', 'graph'] satisfies CommandName[];

const isCommand = (name: string): name is CommandName => COMMANDS.includes(name);

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
  model: { type: 'string', short: 'm' },
  debug: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  data: { type: 'boolean' },
  export: { type: 'string' },
  budget: { type: 'string' },
  memory: { type: 'string' },
} as const;

/** Options that only some commands have. */
const OWN: Readonly<Record<string, readonly CommandName[]>> = {
  data: ['run'],
  export: ['run', 'graph'],
  budget: ['ask'],
  memory: ['ask'],
};

/**
 * Reads the command line.
 *
 * @throws {TroupeError} `command.usage` for what it does not understand.
 */
export const readUsage = (args: readonly string[]): Usage => {
  const { values, positionals } = parsed(args);
  const settings: Settings = {
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    model: values.model,
    debug: values.debug ?? false,
    color: values['no-color'] !== true,
  };
  if (values.version === true) return { settings, command: { name: 'version' } };
  const [name, ...rest] = positionals;
  if (name === undefined || name === 'help') {
    const about = rest[0] !== undefined && isCommand(rest[0]) ? rest[0] : undefined;
    return { settings, command: { name: 'help', about } };
  }
  if (!isCommand(name)) throw wrong(`there is no such command: '${name}' (there are ${COMMANDS.join(', ')})`);
  if (values.help === true) return { settings, command: { name: 'help', about: name } };
  for (const [option, commands] of Object.entries(OWN)) {
    if (Object.hasOwn(values, option) && !commands.includes(name))
      throw wrong(`'${name}' has no such option: --${option}`, name);
  }
  if (settings.json && settings.quiet) throw wrong('one excludes the other: --json and --quiet', name);
  const { data: isData = false, export: exportName, memory } = values;
  if (memory?.trim() === '') throw wrong('--memory names no folder', name);
  const own = { isData, exportName, memory, budget: dollars(values.budget, name) };
  return { settings, command: commandFrom(name, rest, own) };
};

const dollars = (given: string | undefined, about: CommandName): number | undefined => {
  if (given === undefined) return undefined;
  const found = /^\d*\.?\d+$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isNaN(found)) throw wrong(`--budget is no number of US dollars: '${given}'`, about);
  return found;
};

/** What belongs to some commands only. */
interface OwnValues {
  readonly isData: boolean;
  readonly exportName: string | undefined;
  readonly budget: number | undefined;
  readonly memory: string | undefined;
}

const commandFrom = (
  name: CommandName,
  rest: readonly string[],
  { isData, exportName, budget, memory }: OwnValues,
): Command => {
  const [first, second, ...more] = rest;
  const surplus = name === 'graph' ? [second, ...more] : more;
  const [unexpected] = surplus;
  if (unexpected !== undefined)
    throw wrong(`it is not clear what is meant by '${unexpected}': quote what has spaces in it`, name);
  if (name === 'ask') {
    if (first?.trim() === '') throw wrong('the question is empty', name);
    return { name, question: first, folder: second, budget, memory };
  }
  if (first === undefined) throw wrong('no file was named: give the module that exports the agent', name);
  return name === 'run'
    ? { name, file: first, input: second, isData, exportName }
    : { name, file: first, exportName };
};

const parsed = (args: readonly string[]) => {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (thrown) {
    // Node goes on to explain what nobody asked.
    const [first = ''] = messageOf(thrown).split(/\.(?:\s|$)/);
    throw wrong(`it cannot be read: ${first}`);
  }
};

const wrong = (problem: string, about?: CommandName): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot follow the command line as ${problem}. See: troupe${about === undefined ? '' : ` ${about}`} --help`,
  );
