import { isAbsolute } from 'node:path';
import { TroupeError } from '../../contracts/error.ts';
import { programName, startsOthers } from '../environments/launchers.ts';
import { commandDenied } from '../environments/memory-environment.ts';
import type { CommandRules } from './environment-command-rules.ts';
import { gluedValues, refusedBy } from './environment-command-rules.ts';
import type { KnownCommand } from './environment-known-commands.ts';
import { KNOWN_COMMANDS } from './environment-known-commands.ts';

/** A command that may be run on this machine. */
export interface AllowedCommand {
  /** The absolute path of the program. */
  readonly path: string;
  /** `below` (default): no argument may be an absolute path or lead upwards. `any`: not looked at. */
  readonly paths?: 'below' | 'any' | undefined;
  /**
   * Which subcommands and options it may be given, and no others. Default: those of a known program (`git`, `grep`, `sort` …) that start
   * nothing and write nowhere else; any other program needs rules.
   */
  readonly allow?: CommandRules | undefined;
  /** `neutral` (default): the program reads no configuration of its user or its repository, as far as it is known. `own`: it does. */
  readonly configuration?: 'neutral' | 'own' | undefined;
  /** Why these arguments are refused; undefined for those that are fine. Instead of the rules of a known program. */
  readonly refuse?: ((args: readonly string[]) => string | undefined) | undefined;
}

/** Commands by the name that a model uses: an absolute path, or one with rules for its arguments. */
export type AllowedCommands = Readonly<Record<string, string | AllowedCommand>>;

/** A path that begins in an argument: alone, after `=`, or glued to a short option. */
const ABSOLUTE = /(^|[^\w./-]|^-\w)[/~]/;
const UPWARDS = /(^|[^\w.-])\.\.(\/|$)/;

/** The plan by which an allowed command is started. */
export interface CommandPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables over those of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** It reads the configuration of a repository, which may start programs. */
  readonly readsRepository: boolean;
}

/**
 * Checks a list of allowed commands when it is given.
 *
 * @throws `agent.invalid` for a relative path, and for a program without rules that starts others, or that is not known.
 */
export const assertAllowedCommands = (commands: AllowedCommands): void => {
  for (const [name, allowed] of Object.entries(commands)) {
    const { path, allow, refuse } = commandOf(allowed);
    if (!isAbsolute(path)) throw invalid(name, `its path is not absolute: ${path}`);
    if (allow !== undefined) continue;
    const program = programName(path);
    if (startsOthers(path)) {
      if (refuse === undefined)
        throw invalid(
          name,
          `'${program}' starts other programs: say with 'allow' which subcommands and options it may be given`,
        );
      if (!startsOthers(name))
        throw invalid(
          name,
          `'${program}' starts other programs and a person who approves reads only this name: call it '${program}', or say with 'allow' what it may be given`,
        );
    } else if (refuse === undefined && !KNOWN_COMMANDS.has(program))
      throw invalid(
        name,
        `it is not known what '${program}' may start: say with 'allow' which subcommands and options it may be given`,
      );
  }
};

/**
 * Plans how a command is started, if these arguments may be given to it.
 *
 * @throws `tool.denied` with the reason.
 */
export const planCommand = (
  commands: AllowedCommands,
  command: string,
  args: readonly string[],
): CommandPlan => {
  const allowed = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (allowed === undefined) throw commandDenied(command, Object.keys(commands));
  const { path, paths = 'below', allow, refuse, configuration = 'neutral' } = commandOf(allowed);
  const known: KnownCommand = KNOWN_COMMANDS.get(programName(path)) ?? {};
  const rules = allow ?? (refuse === undefined ? known : undefined);
  const reason = args.some((arg) => arg.includes('\0'))
    ? 'an argument holds a NUL character'
    : (refuse?.(args) ??
      (rules === undefined ? undefined : refusedBy(rules, args)) ??
      (paths === 'below' ? refusedPath(args, rules ?? ANY) : undefined));
  if (reason !== undefined) throw deniedArguments(command, reason);
  const isNeutral = configuration === 'neutral';
  return {
    file: path,
    args: rules === known && isNeutral ? [...(known.before ?? []), ...args] : args,
    env: isNeutral ? (known.env ?? {}) : {},
    readsRepository: isNeutral && programName(path) === 'git',
  };
};

/** The refusal of arguments. */
export const deniedArguments = (command: string, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot run '${command}' with these arguments as ${reason}`, {
    retryable: 'no',
  });

const commandOf = (allowed: string | AllowedCommand): AllowedCommand =>
  typeof allowed === 'string' ? { path: allowed } : allowed;

/** The caller's own function says what may be given: any letter may take a value. */
const ANY: CommandRules = { options: 'any' };

const refusedPath = (args: readonly string[], rules: CommandRules): string | undefined => {
  const found = [...args, ...gluedValues(rules, args)].find((arg) => ABSOLUTE.test(arg) || UPWARDS.test(arg));
  return found === undefined ? undefined : `an argument leads out of the root: ${found.slice(0, 100)}`;
};

const invalid = (name: string, reason: string): TroupeError =>
  new TroupeError('agent.invalid', `Cannot allow the command '${name}' as ${reason}`);
