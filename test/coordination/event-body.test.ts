import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import type { EventBody } from '../../src/contracts/events/event.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { answer } from '../../src/contracts/agents/decision.ts';
import { beginRound } from '../../src/coordination/round/settle-reply.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { endOf, repliesOf, teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { team } from '../../src/runtime/define/team.ts';
import { settled, start } from '../support/runs.ts';

/** A team of somebody's own that tells of something as it begins its round. */
const telling = (body: EventBody) =>
  team<string, string>({
    name: 'own',
    machine: setupTeam<null, null>()
      .extend({
        actions: {
          ask: assign(({ context }) =>
            beginRound(context, [{ member: 'ann', input: 'go' }], { telling: [body] }),
          ),
          take: assign(({ context }) => {
            const [reply] = repliesOf(context);
            return reply === undefined ? {} : { end: endOf(reply) };
          }),
        },
      })
      .createMachine({
        id: 'own',
        description: 'One does it.',
        context: ({ input }: { input: TeamInput<null> | undefined }) => teamContext(input, null, null),
        output: teamOutcome,
        options: { maxIterations: 100 },
        initial: 'working',
        on: teamArrows,
        states: {
          working: {
            description: 'One is at work.',
            entry: ['ask', { type: 'entered', params: { phase: 'working' } }, 'engageMembers'],
            ...awaiting('taking'),
          },
          taking: {
            description: 'Is it done?',
            entry: 'take',
            always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
          },
          ...teamEnds,
        },
      }),
    members: { ann: agent({ name: 'ann', decide: () => answer('done') }) },
    options: null,
  });

describe('what a team of one’s own tells', () => {
  const run = (body: object) => settled(start(telling(body as EventBody), 'go'));

  test('goes into the log, with who, when and where filled in by the runtime', async () => {
    const { status, events } = await run({ type: 'team.noted', text: 'we begin' });
    expect(status).toBe('completed');
    const noted = events.findIndex(({ type }) => type === 'team.noted');
    expect(events[noted]).toMatchObject({ seq: noted, agent: 'own', text: 'we begin' });
  });

  test.each(['v', 'seq', 'at', 'runId', 'path', 'agent', 'step', 'phase'])(
    'never says %s itself: that would stand in the place of the truth',
    async (field) => {
      const { status, error, events } = await run({ type: 'team.noted', text: 'x', [field]: 'somebody’s' });
      expect(status).toBe('failed');
      expect(error?.code).toBe('machine.invalid');
      expect(error?.message).toMatch(new RegExp(`'team.noted' .* fills in: ${field};`));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      expect(JSON.stringify(events.filter(({ type }) => type === 'team.noted'))).toBe('[]');
    },
  );

  test('is an event that there is: another one no reader of the log would take', async () => {
    const { error } = await run({ type: 'team.cheered', text: 'hurrah' });
    expect(error?.message).toContain("'team.cheered' as there is no such event");
  });
});
