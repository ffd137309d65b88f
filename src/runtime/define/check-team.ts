import { checkOptions } from '../../contracts/errors/check-options.ts';
import { teamSchema } from './team-schema.ts';

/**
 * Checks the options that every team has; those of its pattern are checked by that.
 *
 * @throws {TroupeError} `team.invalid`, with what was found.
 */
export const checkTeam = (setup: object, owner: string): void => {
  checkOptions(teamSchema(), setup, { code: 'team.invalid', owner });
};
