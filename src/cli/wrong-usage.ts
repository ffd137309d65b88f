import { TroupeError } from '../contracts/error.ts';
import type { CommandName } from './command-shapes.ts';

/** The error for a command line that cannot be followed, and where to look. */
export const wrong = (problem: string, about?: CommandName): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot follow the command line as ${problem}. See: troupe${about === undefined ? '' : ` ${about}`} --help`,
  );
