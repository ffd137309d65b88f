import { expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agents/agent.ts';
import { TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode } from '../../src/contracts/errors/error-data.ts';
import type { RuntimeEvent } from '../../src/contracts/events/event.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import type { MemberPolicy } from '../../src/contracts/agents/supervision.ts';
import { awaiting, setupTeam, teamArrows, teamEnds } from '../../src/coordination/round/setup-team.ts';
import { beginRound } from '../../src/coordination/round/settle-reply.ts';
import type { TeamInput } from '../../src/coordination/round/team-context.ts';
import { repliesOf, spentEnd, teamContext, teamOutcome } from '../../src/coordination/round/team-context.ts';
import { assign } from 'xstate';
import { agent } from '../../src/runtime/define/agent.ts';
import { pipeline } from '../../src/patterns/index.ts';
import type { Member, TeamSetup } from '../../src/runtime/define/team.ts';
import { team } from '../../src/runtime/define/team.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { letTimePass, never, ofType, quiet, settled, start } from '../support/runs.ts';

/** All members at once, every reply is the result: a team with nothing of its own. */
const allMachine = setupTeam<null, readonly string[]>()
  .extend({
    actions: {
      askAll: assign(({ context }) =>
        beginRound(
          context,
          context.options.map((member) => ({ member, input: `for ${member}` })),
        ),
      ),
      count: assign(({ context }) => ({
        end: spentEnd(context) ?? {
          status: 'completed' as const,
          stopReason: { kind: 'answered' as const },
          output: repliesOf(context).map(({ status, output }) => (status === 'completed' ? output : status)),
        },
      })),
    },
  })
  .createMachine({
    id: 'all',
    description: 'All at once.',
    context: ({ input }: { input: TeamInput<readonly string[]> | undefined }) => teamContext(input, null, []),
    output: teamOutcome,
    options: { maxIterations: 100 },
    initial: 'working',
    on: teamArrows,
    states: {
      working: {
        description: 'All are at work.',
        entry: ['askAll', 'engageMembers'],
        ...awaiting('counting'),
      },
      counting: {
        description: 'The replies are in.',
        entry: 'count',
        always: [{ guard: 'isCompleted', target: 'completed' }, { target: 'stopped' }],
      },
      ...teamEnds,
    },
  });

const all = (members: Readonly<Record<string, Member>>, setup: Omit<TeamSetup, 'name'> = {}, name = 'all') =>
  team<string, readonly unknown[]>({
    ...setup,
    name,
    machine: allMachine,
    members,
    options: Object.keys(members),
  });

const failure = (code: ErrorCode, more = {}): Error => new TroupeError(code, `Cannot go on: ${code}`, more);

/** Does in its n-th life what the n-th of `lives` says: fails with an error, hangs, or answers. What it was told goes into `told`. */
const mortal = (
  name: string,
  lives: readonly (Error | string)[],
  { told = [], asMember }: { readonly told?: string[]; readonly asMember?: MemberPolicy } = {},
): Agent<string, string> =>
  agent({
    name,
    failures: { asMember },
    decide: async ({ transcript }) => {
      const life = lives[Math.min(told.length, lives.length - 1)];
      told.push([...transcript].map(({ text }) => text).join('|'));
      if (life === 'hangs') return never();
      await quiet();
      if (life instanceof Error) throw life;
      return { kind: 'answer', answer: life ?? '' };
    },
  });

const ended = async (
  subject: Agent<string, unknown>,
  options: RunOptions = {},
): Promise<RunResult<unknown, unknown>> => {
  const clock = virtualClock(1_000);
  const result = settled(start(subject, 'go', { runId: 'r', clock, ...options }));
  return letTimePass(clock, result, 500);
};

const lives = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === 'member.engaged') return [`+${event.path}`];
    return event.type === 'member.ended' ? [`-${event.path} ${event.status}`] : [];
  });

const outage = failure('model.unavailable', { retryable: 'yes' });

test('[P1] a member that fails is restarted at a new address, and nobody beside it notices', async () => {
  const told: string[] = [];
  const members = { ann: mortal('ann', [outage, 'saved'], { told }), bob: mortal('bob', ['b']) };
  const result = await ended(all(members, { failures: { supervision: {} } }));
  expect(result.output).toEqual(['saved', 'b']);
  expect(lives(result.events)).toEqual([
    '+all/ann-1',
    '+all/bob-2',
    '-all/ann-1 failed',
    '-all/bob-2 completed',
    '+all/ann-3',
    '-all/ann-3 completed',
  ]);
  expect(ofType(result.events, 'child.supervised')).toMatchObject([
    { member: 'ann', child: 'all/ann-1', failure: 'outage', directive: 'restart', members: ['ann'] },
  ]);
  expect(ofType(result.events, 'child.restarted')).toMatchObject([
    { member: 'ann', child: 'all/ann-3', of: 'all/ann-1', restarts: 1 },
  ]);
  expect(told).toEqual(['for ann', 'for ann']);
});

test('it waits before it restarts, between the least and the most', async () => {
  const members = { ann: mortal('ann', [outage, 'saved']) };
  const supervision = { backOff: { leastMs: 5_000, mostMs: 7_000 } };
  const { events } = await ended(all(members, { failures: { supervision } }));
  const [waited] = ofType(events, 'child.supervised');
  const [again] = ofType(events, 'child.restarted');
  expect(waited?.waitMs).toBeGreaterThanOrEqual(5_000);
  expect(waited?.waitMs).toBeLessThanOrEqual(7_000);
  expect((again?.at ?? 0) - (waited?.at ?? 0)).toBeGreaterThanOrEqual(waited?.waitMs ?? Infinity);
});

test('[P2] one-for-all: the others are stopped in the reverse order, and all begin anew in order', async () => {
  const members = {
    ann: mortal('ann', ['hangs', 'a']),
    bob: mortal('bob', [outage, 'b']),
    cid: mortal('cid', ['hangs', 'c']),
  };
  const result = await ended(all(members, { failures: { supervision: { strategy: 'one-for-all' } } }));
  expect(result.output).toEqual(['a', 'b', 'c']);
  expect(lives(result.events).slice(3)).toEqual([
    '-all/bob-2 failed',
    '-all/cid-3 aborted',
    '-all/ann-1 aborted',
    '+all/ann-4',
    '+all/bob-5',
    '+all/cid-6',
    '-all/ann-4 completed',
    '-all/bob-5 completed',
    '-all/cid-6 completed',
  ]);
});

test('[P2] rest-for-one: who began before it goes on undisturbed', async () => {
  const members = {
    ann: mortal('ann', ['a', 'never again']),
    bob: mortal('bob', [outage, 'b']),
    cid: mortal('cid', ['hangs', 'c']),
  };
  const result = await ended(all(members, { failures: { supervision: { strategy: 'rest-for-one' } } }));
  expect(result.output).toEqual(['a', 'b', 'c']);
  expect(lives(result.events).filter((life) => life.includes('ann'))).toHaveLength(2);
});

test('[P3] more restarts than allowed are an escalation: the team fails, says why, and keeps what it has', async () => {
  const members = { ann: mortal('ann', [outage]), bob: mortal('bob', ['b']) };
  const result = await ended(all(members, { failures: { supervision: {} } }));
  expect(result).toMatchObject({
    status: 'failed',
    candidate: ['b'],
    error: { code: 'team.escalated', retryable: 'yes', cause: { name: 'model.unavailable' } },
  });
  expect(ofType(result.events, 'child.restarted')).toHaveLength(3);
  expect(ofType(result.events, 'child.supervised').at(-1)?.directive).toBe('escalate');
});

test('[P3] an escalation is a failure of the team to whoever supervises it, and may be mended there', async () => {
  const tries: string[] = [];
  const ann = mortal('ann', [outage, outage, outage, outage, 'in the second life of the team'], {
    told: tries,
  });
  const inner = all({ ann }, { failures: { supervision: {} } }, 'inner') as Agent<string, unknown>;
  const result = await ended(
    all({ inner }, { failures: { supervision: { intensity: { restarts: 1, withinMs: 1 } } } }),
  );
  expect(result.output).toEqual([['in the second life of the team']]);
  expect(ofType(result.events, 'child.supervised').map(({ path, directive }) => [path, directive])).toEqual([
    ['all/inner-1', 'restart'],
    ['all/inner-1', 'restart'],
    ['all/inner-1', 'restart'],
    ['all/inner-1', 'escalate'],
    ['all', 'restart'],
  ]);
});

test('what no restart can mend is not restarted: it escalates at once', async () => {
  const members = { ann: mortal('ann', [failure('model.auth')]), bob: mortal('bob', ['b']) };
  const result = await ended(all(members, { failures: { supervision: {} } }));
  expect(result.error?.code).toBe('team.escalated');
  expect(ofType(result.events, 'child.restarted')).toEqual([]);
});

test('a task that fails in one way again and again is given up, told of with the task, and the others go on', async () => {
  const members = { ann: mortal('ann', [failure('tool.failed')]), bob: mortal('bob', ['b']) };
  const supervision = { intensity: { restarts: 9, withinMs: 1_000_000 } };
  const result = await ended(all(members, { failures: { supervision } }));
  expect(result.output).toEqual(['failed', 'b']);
  expect(ofType(result.events, 'child.quarantined')).toMatchObject([
    { member: 'ann', task: 'for ann', error: { code: 'tool.failed' } },
  ]);
  expect(ofType(result.events, 'child.restarted')).toHaveLength(2);
});

test('[MAST 2.1] a bad answer is restarted with a word on what was wrong with it; a plain restart begins clean', async () => {
  const told: string[] = [];
  const members = { ann: mortal('ann', [failure('output.invalid'), outage, 'good'], { told }) };
  const result = await ended(all(members, { failures: { supervision: {} } }));
  expect(result.output).toEqual(['good']);
  expect(told[0]).toBe('for ann');
  expect(told[1]).toBe('The attempt before this one was no use: Cannot go on: output.invalid|for ann');
  expect(told[2]).toBe('for ann');
});

test('a conversation that had become too long is begun anew with its latter half', async () => {
  const asked: (readonly string[])[] = [];
  const overflow = failure('model.context-overflow');
  const ann = agent({
    name: 'ann',
    model: scriptedModel(
      Array.from({ length: 2 }, (_, life) => ({ messages }: { messages: readonly { text: string }[] }) => {
        asked.push(messages.map(({ text }) => text));
        if (life === 0) throw overflow;
        return 'short';
      }),
    ),
  });
  const history = ['one', 'two', 'three', 'four'].map((text) => ({ role: 'user' as const, text }));
  const result = await ended(all({ ann }, { failures: { supervision: {} } }), { history });
  expect(result.output).toEqual(['short']);
  expect(asked[0]).toEqual(['one', 'two', 'three', 'four', 'for ann']);
  expect(asked.at(-1)?.join('|')).toContain('left out');
  expect(asked.at(-1)?.at(-1)).toBe('for ann');
});

test('[P9] a member that never answers has had its time: it is stopped, has failed, and is restarted like any other', async () => {
  const members = { ann: mortal('ann', ['hangs', 'woken']), bob: mortal('bob', ['b']) };
  const result = await ended(
    all(members, { limits: { memberTimeMs: 10_000 }, failures: { supervision: {} } }),
  );
  expect(result.output).toEqual(['woken', 'b']);
  expect(ofType(result.events, 'child.supervised')).toMatchObject([
    { failure: 'timeOut', error: { code: 'member.timed-out' } },
  ]);
});

test('without a policy its failure is its reply, also when it never answers', async () => {
  const members = {
    ann: mortal('ann', ['hangs']),
    bob: mortal('bob', [outage]),
    cid: mortal('cid', ['c']),
  };
  const result = await ended(all(members, { limits: { memberTimeMs: 10_000 } }));
  expect(result.output).toEqual(['failed', 'failed', 'c']);
  expect(ofType(result.events, 'child.supervised')).toEqual([]);
});

test('a member brings its own policy, in a team that has none', async () => {
  const members = {
    ann: mortal('ann', [outage, 'a'], { asMember: { restart: 'transient' } }),
    bob: mortal('bob', [outage, 'never']),
  };
  expect((await ended(all(members))).output).toEqual(['a', 'failed']);
});

test('a budget that is spent is no failure to restart from', async () => {
  const ann = mortal('ann', ['a']);
  const result = await ended(
    all({ ann, bob: mortal('bob', ['b']) }, { failures: { supervision: { restart: 'permanent' } } }),
    {
      limits: { budget: { steps: 1 } },
    },
  );
  expect(result).toMatchObject({ status: 'stopped', stopReason: { kind: 'budget' } });
  expect(ofType(result.events, 'child.restarted')).toEqual([]);
});

test('aborted while it waits to restart somebody, it ends at once', async () => {
  const clock = virtualClock(1_000);
  const members = { ann: mortal('ann', [outage]) };
  const handle = start(all(members, { failures: { supervision: { backOff: { leastMs: 20_000 } } } }), 'go', {
    clock,
  });
  await quiet();
  handle.abort('enough');
  expect(await settled(handle)).toMatchObject({ stopReason: { kind: 'aborted', reason: 'enough' } });
  expect(clock.pending).toBe(0);
});

test('whoever stops a team stops its members in the reverse order of their start, those below first', async () => {
  const inner = all({ cid: mortal('cid', ['hangs']), dee: mortal('dee', ['hangs']) }, {}, 'inner');
  const handle = start(all({ ann: mortal('ann', ['hangs']), inner, bob: mortal('bob', ['hangs']) }), 'go');
  await quiet();
  handle.abort('enough');
  const { events } = await settled(handle);
  expect(ofType(events, 'member.ended').map(({ member }) => member)).toEqual([
    'bob',
    'dee',
    'cid',
    'inner',
    'ann',
  ]);
});

test('stages in a row are supervised, too', async () => {
  const line = pipeline({
    name: 'line',
    stages: [mortal('ann', [outage, 'a']), mortal('bob', [outage, 'b'])],
    failures: { supervision: {} },
  });
  expect((await ended(line)).output).toBe('b');
});

test.each([
  [
    { strategy: 'all-for-one' as never },
    "strategy is not one of one-for-one, one-for-all, rest-for-one: found 'all-for-one'",
  ],
  [
    { intensity: { restarts: 1.5, withinMs: 0 } },
    'intensity.restarts is not a whole number from 0: found 1.5; and as its failures.supervision.intensity.withinMs',
  ],
  [{ backOff: { leastMs: 10, mostMs: 5 } }, 'backOff.mostMs is not a number from 10: found 5'],
  [{ directives: { crash: 'panic' as never } }, 'directives.crash is not one of'],
  [{ poisonAfter: 0 }, 'poisonAfter'],
  [{ restart: 'always' as never }, 'restart is not one of'],
])('a policy that cannot be followed is refused, with all that is wrong: %j', (supervision, message) => {
  expect(() => all({ ann: mortal('ann', ['a']) }, { failures: { supervision } })).toThrowError(message);
});

test('so is one that an agent brings', () => {
  expect(() => agent({ name: 'ann', failures: { asMember: { poisonAfter: 0 } } })).toThrowError(
    'poisonAfter',
  );
});
