import { assign } from 'xstate';
import { setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';

const team = setupTeam<Record<string, never>, Record<string, never>>();

/** A pattern whose very first action breaks. */
export const machine = team
  .extend({
    actions: {
      breaks: assign(() => {
        throw new Error('broken from the start');
      }),
    },
  })
  .createMachine({
    id: 'odd',
    description: 'It breaks before it begins.',
    context: ({ input }: { input: TeamInput<Record<string, never>> | undefined }) =>
      teamContext(input, {}, {}),
    output: teamOutcome,
    options: { maxIterations: 100 },
    initial: 'starting',
    on: teamArrows,
    states: {
      starting: {
        description: 'Where it breaks.',
        entry: 'breaks',
        on: { 'answered.member': [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }] },
      },
      ...teamEnds,
    },
  });

/** Its options. */
export const input = {};
