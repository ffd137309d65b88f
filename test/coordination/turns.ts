import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { ofType } from '../support/runs.ts';

/** Who was engaged directly by the team, in order, by the names of their roles. */
export const turnsOf = ({ events }: RunResult<unknown, unknown>, team: string): readonly string[] =>
  ofType(events, 'member.engaged')
    .filter(({ path }) => path.startsWith(`${team}/`) && !path.slice(team.length + 1).includes('/'))
    .map(({ path }) => path.slice(team.length + 1).replace(/-\d+$/u, ''));
