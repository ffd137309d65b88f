import { setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { put } from '../../src/machines/in-force.ts';

const team = setupTeam<Record<string, never>, Record<string, never>>();

/** A pattern that uses one address twice, which no runtime can allow. */
export const machine = team
  .extend({
    actions: {
      engageTwice: ({ context }) => {
        const engagement = {
          path: `${context.team.path}/ann`,
          actor: { kind: 'member', name: 'ann' },
          input: 'go',
          port: 'member',
          index: 0,
        } as const;
        put({ type: 'engage', engagements: [engagement, engagement] });
      },
    },
  })
  .createMachine({
    id: 'careless',
    description: 'It engages two members at one address.',
    context: ({ input }: { input: TeamInput<Record<string, never>> | undefined }) =>
      teamContext(input, {}, {}),
    output: teamOutcome,
    options: { maxIterations: 100 },
    initial: 'starting',
    on: teamArrows,
    states: {
      starting: {
        description: 'Where it is careless.',
        entry: 'engageTwice',
        on: { 'answered.member': [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }] },
      },
      ...teamEnds,
    },
  });

/** Its options. */
export const input = {};
