import { parseArgs } from 'node:util';
import type { TroupeError } from '../../contracts/errors/error.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Command } from './commands.ts';
import type { CommandName } from './command-read.ts';
import { commandFrom, inspectProgramFrom } from './command-read.ts';
import { commandNames, isCommand, isOwnOption, options, shapes } from './command-shapes.ts';
import { nearestName } from '../../base/text/nearest-name.ts';
import { wrong } from './wrong-usage.ts';

/** Settings of every command. */
export interface Settings {
  readonly json: boolean;
  readonly quiet: boolean;
  /** Prints the secrets in an answer. */
  readonly reveal: boolean;
  readonly model: string | undefined;
  /** Location of stored runs: `FILE`, `postgres://…`, `memory` or `none`. */
  readonly store: string | undefined;
  /** The option that names it. */
  readonly storeOption: '--store' | '--over' | '--tested' | '--to';
  readonly debug: boolean;
  readonly color: boolean;
}

/** A command, and how it is to go about. */
export interface Usage {
  readonly command: Command;
  readonly settings: Settings;
}

/**
 * Reads the command line.
 *
 * @throws {TroupeError} `command.usage` for what it does not understand.
 */
export const readUsage = (args: readonly string[]): Usage => {
  const { own, program } = splitProgram(args);
  const { values, positionals } = parse(own);
  const settings: Settings = {
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    reveal: values.reveal ?? false,
    model: values.model,
    store: values.over ?? values.store,
    storeOption: values.over === undefined ? '--store' : '--over',
    debug: values.debug ?? false,
    color: values['no-color'] !== true,
  };
  if (values.version === true) return { settings, command: { name: 'version' } };
  const [name, ...rest] = positionals;
  if (name === undefined || name === 'help') {
    const [about] = rest;
    if (about !== undefined && !isCommand(about))
      throw wrong(`there is no such command: '${about}' ${instead(about)}`);
    return { settings, command: { name: 'help', about } };
  }
  if (!isCommand(name)) throw wrong(`there is no such command: '${name}' ${instead(name)}`);
  if (values.help === true) return { settings, command: { name: 'help', about: name } };
  assertOwn(Object.keys(values), name);
  if (settings.json && settings.quiet) throw wrong('one excludes the other: --json and --quiet', name);
  if (settings.json && settings.reveal)
    throw wrong('one excludes the other: --json, whose events are redacted, and --reveal', name);
  if (program !== undefined) return { settings, command: inspectProgramFrom(program, rest, values) };
  return { settings, command: commandFrom(name, rest, values) };
};

/** The arguments of `inspect`, and the command of another program behind `--`, which has options of its own. */
const splitProgram = (
  args: readonly string[],
): { readonly own: readonly string[]; readonly program?: readonly string[] | undefined } => {
  const end = args.indexOf('--');
  if (end < 0 || parse(args.slice(0, end)).positionals[0] !== 'inspect') return { own: args };
  return { own: args.slice(0, end), program: args.slice(end + 1) };
};

const instead = (name: string): string => {
  const meant = nearestName(name, commandNames);
  return meant === undefined ? `(there are ${commandNames.join(', ')})` : `(did you mean '${meant}'?)`;
};

const assertOwn = (given: readonly string[], name: CommandName): void => {
  const own: readonly string[] = shapes[name].options;
  for (const option of given)
    if (isOwnOption(option) && !own.includes(option))
      throw wrong(`'${name}' has no such option: --${option} ${optionInstead(`--${option}`, name)}`, name);
};

const parse = (args: readonly string[]) => {
  try {
    return parseArgs({ args: joinNegatives(args), options, allowPositionals: true, strict: true });
  } catch (thrown) {
    throw unreadable(messageOf(thrown), args);
  }
};

/** The error for what Node refuses: its sentence names the option. */
const unreadable = (sentence: string, args: readonly string[]): TroupeError => {
  const name = args.find(isCommand);
  const [, given] = /'(?:-\w, )?(--?[\w-]+)/.exec(sentence) ?? [];
  // Node's further explanation is dropped.
  if (given === undefined)
    return wrong(`it cannot be read: ${sentence.split(/\.(?:\s|$)/, 1).join('')}`, name);
  if (sentence.includes('does not take')) return wrong(`${given} takes no value: write it alone`, name);
  if (sentence.includes('missing')) return wrong(`${given} has no value: give one after it`, name);
  if (sentence.includes('ambiguous'))
    return wrong(`${given} has no value, as an option follows it: give one, or write ${given}=VALUE`, name);
  return wrong(`there is no option '${given}' ${optionInstead(given, name)}`, name);
};

const optionInstead = (given: string, name: CommandName | undefined): string => {
  const known = optionsOf(name);
  // Of a letter, no spelling is near.
  const meant = given.startsWith('--') ? nearestName(given, known) : undefined;
  return meant === undefined ? `(there are ${known.join(', ')})` : `(did you mean '${meant}'?)`;
};

/** All options of a command; without one, of any. */
const optionsOf = (name: CommandName | undefined): readonly string[] => {
  const own: readonly string[] | undefined = name === undefined ? undefined : shapes[name].options;
  return Object.keys(options)
    .filter((option) => own?.includes(option) ?? true)
    .concat(own === undefined ? [] : Object.keys(options).filter((option) => !isOwnOption(option)))
    .map((option) => `--${option}`);
};

/** Options with the negative number that follows them joined by `=`: apart, Node takes the number for an option. */
const joinNegatives = (args: readonly string[]): string[] => {
  const ready: string[] = [];
  for (const arg of args) {
    const before = ready.at(-1);
    if (/^-\.?\d/.test(arg) && before !== undefined && takesValue(before))
      ready.push(`${String(ready.pop())}=${arg}`);
    else ready.push(arg);
  }
  return ready;
};

const takesValue = (arg: string): boolean =>
  arg.startsWith('--') &&
  Object.entries(options).some(([name, { type }]) => arg === `--${name}` && type === 'string');
