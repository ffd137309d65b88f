import { describe, expect, test } from 'vitest';
import { assign } from 'xstate';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { parallel, pipeline } from '../../src/patterns/index.ts';
import { team } from '../../src/runtime/define/team.ts';
import { echo, ofType } from '../support/runs.ts';

type Nothing = Record<string, never>;

/** A pattern that ends as failed, and leaves no error. */
const silentMachine = setupTeam<Nothing, Nothing>()
  .extend({
    actions: {
      giveUp: assign({ end: { status: 'failed' as const, stopReason: { kind: 'failed' as const } } }),
    },
  })
  .createMachine({
    id: 'silent',
    description: 'It fails and does not say why.',
    context: ({ input }: { input: TeamInput<Nothing> | undefined }) => teamContext(input, {}, {}),
    output: teamOutcome,
    options: { maxIterations: 100 },
    initial: 'starting',
    on: teamArrows,
    states: {
      starting: {
        description: 'Where it gives up.',
        entry: 'giveUp',
        always: [
          { guard: 'hasFailed', target: 'failed' },
          { guard: 'isCompleted', target: 'completed' },
          { guard: 'isStopped', target: 'stopped' },
        ],
      },
      ...teamEnds,
    },
  });

describe('[FIND-16] a result says what happened', () => {
  const busy = (name: string, steps = Infinity) =>
    agent({
      name,
      tools: [echo],
      limits: { loops: false },
      decide: ({ step }) =>
        step < steps ? act({ name: 'echo', input: { text: String(step) } }) : answer('done'),
    });

  test('a step that the budget does not allow is none: it is neither counted nor ended', async () => {
    // The first stage needs all four, so the second is refused its first.
    const line = pipeline({ name: 'line', stages: [busy('one', 3), busy('two')] });
    const result = await line.run('go', { limits: { budget: { steps: 4 } } });
    expect(result.stopReason).toMatchObject({ kind: 'budget', budget: 'steps', limit: 4, used: 4 });
    expect(ofType(result.events, 'step.ended')).toHaveLength(4);
    expect(result.totals.steps).toBe(4);
  });

  test('nor where several share what is left', async () => {
    const team = parallel({ name: 'team', members: { a: busy('a'), b: busy('b'), c: busy('c') } });
    const result = await team.run('go', { limits: { budget: { steps: 4 } } });
    expect(ofType(result.events, 'step.ended')).toHaveLength(4);
    expect(result.totals.steps).toBe(4);
  });

  test('a team that ends as failed without an error rejects, and says that it has none', async () => {
    const silent = team<string, string>({
      name: 'silent',
      machine: silentMachine,
      members: { a: busy('a', 0) },
      options: {},
    });
    await expect(silent.run('go')).rejects.toMatchObject({
      code: 'agent.threw',
      message: expect.stringContaining('left no error'),
      result: { status: 'failed', error: { code: 'agent.threw' } },
    });
  });
});
