import { isAbsolute } from 'node:path';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { programName, startsOthers } from '../../environments/launchers.ts';
import { commandDenied } from '../../environments/memory-environment.ts';
import { isInRepository } from './repository-files.ts';
import type { CommandRules } from './command-rules.ts';
import { gluedValues, refusalOf } from './command-rules.ts';
import type { KnownCommand } from './known-commands.ts';
import { KNOWN_COMMANDS } from './known-commands.ts';

/** A command that is allowed on this machine. */
export interface AllowedCommand {
  /** The absolute path of the program. */
  readonly path: string;
  /** `below` (default): arguments must not be absolute paths, lead upwards, or lead through a link. `any`: not checked. */
  readonly paths?: 'below' | 'any' | undefined;
  /**
   * Allowed subcommands and options. Default: for a known program (`git`, `grep`, `sort` …) those that start no other
   * program and write nowhere else; any other program needs rules.
   */
  readonly allow?: CommandRules | undefined;
  /**
   * `neutral` (default): as far as is known, the program reads no configuration of its user or its repository. `own`:
   * it does.
   */
  readonly configuration?: 'neutral' | 'own' | undefined;
  /** Returns the reason why arguments are refused; undefined to allow them. Replaces the rules of a known program. */
  readonly refuse?: ((args: readonly string[]) => string | undefined) | undefined;
}

/** Commands by the name that a model uses: an absolute path, or one with rules for its arguments. */
export type AllowedCommands = Readonly<Record<string, string | AllowedCommand>>;

/** A path within an argument: alone, after `=`, or attached to a short option. */
const ABSOLUTE = /(^|[^\w./-]|^-\w)[/~]/;
const UPWARDS = /(^|[^\w.-])\.\.(\/|$)/;

/** The plan by which an allowed command is started. */
export interface CommandPlan {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables over those of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Texts that may be paths, and must not lead through a link. */
  readonly paths: readonly string[];
  /** It reads the configuration of a repository, which may start programs. */
  readonly readsRepository: boolean;
}

/**
 * Validates a list of allowed commands.
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
          `'${program}' starts other programs: list its allowed subcommands and options in 'allow'`,
        );
      if (!startsOthers(name))
        throw invalid(
          name,
          `'${program}' starts other programs, and a person who approves a call sees only this name: call it '${program}', or list what is allowed in 'allow'`,
        );
    } else if (refuse === undefined && !KNOWN_COMMANDS.has(program))
      throw invalid(
        name,
        `'${program}' is not a known program: list its allowed subcommands and options in 'allow'`,
      );
  }
};

/**
 * Plans the start of a command, if its arguments are allowed.
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
  const texts = paths === 'below' ? [...args, ...gluedValues(rules ?? ANY, args)] : [];
  const reason = args.some((arg) => arg.includes('\0'))
    ? 'an argument contains a NUL character'
    : (refuse?.(args) ??
      (rules === undefined ? undefined : refusalOf(rules, args)) ??
      (rules === known ? refusedText(args, known) : undefined) ??
      refusedPath(texts) ??
      (paths === 'below' && programName(path) !== 'git' ? refusedInRepository(texts) : undefined));
  if (reason !== undefined) throw deniedArguments(command, reason);
  const isNeutral = configuration === 'neutral';
  return {
    file: path,
    args: rules === known && isNeutral ? [...(known.before ?? []), ...args] : args,
    env: isNeutral ? (known.env ?? {}) : {},
    paths: texts,
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

/** The caller's own function decides; any letter may take a value. */
const ANY: CommandRules = { options: 'any' };

const refusedText = (args: readonly string[], { refused }: KnownCommand): string | undefined => {
  const found = refused === undefined ? undefined : args.find((arg) => refused.test(arg));
  return found === undefined ? undefined : `an argument may lead to other files: ${found.slice(0, 100)}`;
};

const refusedPath = (texts: readonly string[]): string | undefined => {
  const found = texts.find((text) => ABSOLUTE.test(text) || UPWARDS.test(text));
  return found === undefined ? undefined : `an argument leads out of the root: ${found.slice(0, 100)}`;
};

/** The parts of a path within an argument, alone or attached to an option. */
const PARTS = /[/=:]/;

const refusedInRepository = (texts: readonly string[]): string | undefined => {
  const found = texts.find((text) => isInRepository(text.split(PARTS)));
  return found === undefined
    ? undefined
    : `an argument leads to what git keeps, which git alone may change: ${found.slice(0, 100)}`;
};

const invalid = (name: string, reason: string): TroupeError =>
  new TroupeError('agent.invalid', `Cannot allow the command '${name}' as ${reason}`);
