import { TroupeError } from '../../contracts/errors/error.ts';
import type { CommandName } from './command-shapes.ts';

/** Creates the error for an invalid command line, with a pointer to the help. */
export const wrong = (problem: string, about?: CommandName): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot follow the command line as ${problem}. See: troupe${about === undefined ? '' : ` ${about}`} --help`,
  );
