import { nearestName } from '../../base/text/nearest-name.ts';
import type { SchedulesCommand } from '../usage/commands.ts';
import { wrong } from '../usage/wrong-usage.ts';

const verbs = ['list', 'pause', 'resume', 'remove'] as const;

/** Parses the arguments after `schedules`. */
export const schedulesCommandFrom = ([word = '', schedule]: readonly string[]): SchedulesCommand => {
  const verb = verbs.find((known) => known === word);
  if (verb === undefined) {
    const meant = nearestName(word, verbs);
    const hint = meant === undefined ? `there are ${verbs.join(', ')}` : `did you mean '${meant}'?`;
    throw wrong(`there is no subcommand '${word}' (${hint})`, 'schedules');
  }
  if (verb === 'list') {
    if (schedule !== undefined) throw wrong(`'${schedule}' is unexpected: all are listed`, 'schedules');
    return { name: 'schedules', verb };
  }
  if (schedule === undefined)
    throw wrong('no schedule was named: troupe schedules list shows them', 'schedules');
  return { name: 'schedules', verb, schedule };
};
