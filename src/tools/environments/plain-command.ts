import { commandDenied } from './memory-environment.ts';

/** Matches only plain command names: no options, and no variables for `env`. */
const COMMAND = /^[\w/.][\w/.+-]*$/;

/**
 * Refuses a command that a prefix could read as something else, or that is not among those allowed.
 *
 * @throws `tool.denied`
 */
export const assertPlainCommand = (
  command: string,
  args: readonly string[],
  commands: readonly string[] | undefined,
): void => {
  const isAllowed = COMMAND.test(command) && (commands === undefined || commands.includes(command));
  if (!isAllowed || args.some((arg) => arg.includes('\0')))
    throw commandDenied(command, commands ?? ['any that is a plain name or path']);
};
