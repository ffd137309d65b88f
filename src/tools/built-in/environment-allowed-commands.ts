import { isAbsolute } from 'node:path';
import { TroupeError } from '../../contracts/error.ts';
import { commandDenied } from '../environments/memory-environment.ts';

/** A command that may be run on this machine. */
export interface AllowedCommand {
  /** The absolute path of the program. */
  readonly path: string;
  /** `below` (default): no argument may be an absolute path or lead upwards. `any`: not looked at. */
  readonly paths?: 'below' | 'any' | undefined;
  /** Why these arguments are refused; undefined for those that are fine. */
  readonly refuse?: ((args: readonly string[]) => string | undefined) | undefined;
}

/** Commands by the name that a model uses: an absolute path, or one with rules for its arguments. */
export type AllowedCommands = Readonly<Record<string, string | AllowedCommand>>;

/** Programs that start whatever they are told to: allowed only with a rule of their own. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh fish busybox env xargs awk gawk mawk nawk sudo su doas nohup nice timeout setsid script ssh watch parallel'.split(
    ' ',
  ),
);

/** Options by which harmless programs start others or write where they like. */
const DANGEROUS_OPTIONS: ReadonlyMap<string, RegExp> = new Map([
  ['find', /^-(exec|execdir|ok|okdir|delete|fprint|fprint0|fprintf|fls)$/],
  [
    'git',
    /^(-c|-C|--config-env|--exec-path|--git-dir|--work-tree|--upload-pack|--receive-pack|--ext-diff|--output|-O|--open-files-in-pager)(=|$|.)/,
  ],
  [
    'tar',
    /^(--checkpoint-action|--to-command|--use-compress-program|--rsh-command|--info-script|--new-volume-script|-I|-F)/,
  ],
  ['rg', /^(--pre|--hostname-bin)/],
  ['sort', /^(--compress-program|-o|--output)/],
  ['zip', /^(-T|-TT|--unzip-command)/],
]);

/** A path that begins in an argument: alone, after `=`, or glued to a short option. */
const ABSOLUTE = /(^|[^\w./-]|^-\w)[/~]/;
const UPWARDS = /(^|[^\w.-])\.\.(\/|$)/;

/**
 * Checks a list of allowed commands when it is given.
 *
 * @throws `agent.invalid` for a relative path, or a program that starts others and has no rule of its own.
 */
export const assertAllowedCommands = (commands: AllowedCommands): void => {
  for (const [name, allowed] of Object.entries(commands)) {
    const { path, refuse } = commandOf(allowed);
    if (!isAbsolute(path)) throw invalid(name, `its path is not absolute: ${path}`);
    const program = programOf(path);
    if (LAUNCHERS.has(program) && refuse === undefined)
      throw invalid(name, `'${program}' starts other programs: say with 'refuse' what it may not be given`);
  }
};

/**
 * The program behind a command, if these arguments may be given to it.
 *
 * @throws `tool.denied` with the reason.
 */
export const allowedProgram = (
  commands: AllowedCommands,
  command: string,
  args: readonly string[],
): string => {
  const allowed = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (allowed === undefined) throw commandDenied(command, Object.keys(commands));
  const { path, paths = 'below', refuse } = commandOf(allowed);
  const options = DANGEROUS_OPTIONS.get(programOf(path));
  const reason =
    args.find((arg) => arg.includes('\0')) !== undefined
      ? 'an argument holds a NUL character'
      : (refuse?.(args) ??
        refusedOption(args, refuse === undefined ? options : undefined) ??
        (paths === 'below' ? refusedPath(args) : undefined));
  if (reason === undefined) return path;
  throw new TroupeError('tool.denied', `Cannot run '${command}' with these arguments as ${reason}`, {
    retryable: 'no',
  });
};

const commandOf = (allowed: string | AllowedCommand): AllowedCommand =>
  typeof allowed === 'string' ? { path: allowed } : allowed;

const programOf = (path: string): string =>
  path
    .replace(/^.*[/\\]/, '')
    .replace(/\.exe$/i, '')
    .replace(/(?<![\d.])[\d.]+$/, '');

const refusedOption = (args: readonly string[], options: RegExp | undefined): string | undefined => {
  const found = options === undefined ? undefined : args.find((arg) => options.test(arg));
  return found === undefined ? undefined : `this option is not allowed: ${found.slice(0, 100)}`;
};

const refusedPath = (args: readonly string[]): string | undefined => {
  const found = args.find((arg) => ABSOLUTE.test(arg) || UPWARDS.test(arg));
  return found === undefined ? undefined : `an argument leads out of the root: ${found.slice(0, 100)}`;
};

const invalid = (name: string, reason: string): TroupeError =>
  new TroupeError('agent.invalid', `Cannot allow the command '${name}' as ${reason}`);
