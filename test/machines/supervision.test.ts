import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ErrorData } from '../../src/contracts/errors/error-data.ts';
import { errorCodes } from '../../src/contracts/errors/error-data.ts';
import type { Directive, RestartKind } from '../../src/contracts/agents/supervision.ts';
import { hashOf } from '../../src/base/hash.ts';
import type { MemberEnd, TeamRules } from '../../src/machines/supervision.ts';
import {
  backOffMs,
  failureClassOf,
  restartsWith,
  teamRules,
  verdictOn,
  withFailure,
} from '../../src/machines/supervision.ts';
import { sized } from '../support/thorough.ts';

const RUNS = sized(300, 10_000);

const error = (code: ErrorData['code'], more: Partial<ErrorData> = {}): ErrorData => ({
  code,
  message: 'Cannot',
  retryable: 'no',
  ...more,
});

const end = (given: Partial<MemberEnd> = {}): MemberEnd => ({
  error: error('agent.threw'),
  isFailure: true,
  startedAt: 0,
  at: 0,
  seed: 'team/ann-1',
  ...given,
});

const UNTROUBLED = { streak: 0, equal: 0, kind: '' };

const rulesFor = (policy: Parameters<typeof teamRules>[0], member = {}): TeamRules => {
  const rules = teamRules(policy, { ann: member });
  if (rules === null) throw new Error('there is a policy');
  return rules;
};

const firstVerdict = (rules: TeamRules, of: MemberEnd, restarts: readonly number[] = []) => {
  const own = rules.members['ann'];
  if (own === undefined) throw new Error('ann is a member');
  return verdictOn(rules, 'ann', of, withFailure(UNTROUBLED, own, of), restarts);
};

describe('a failure has a class, and a class a directive', () => {
  test.each<readonly [ErrorData['code'], Directive]>([
    ['model.rate-limited', 'backOff'],
    ['model.context-overflow', 'compact'],
    ['output.invalid', 'correct'],
    ['model.malformed', 'correct'],
    ['model.unavailable', 'restart'],
    ['member.timed-out', 'restart'],
    ['agent.threw', 'restart'],
    ['team.escalated', 'restart'],
    ['model.auth', 'escalate'],
    ['machine.threw', 'escalate'],
    ['internal', 'escalate'],
  ])('%s → %s', (code, directive) => {
    expect(firstVerdict(rulesFor({}), end({ error: error(code) })).directive).toBe(directive);
  });

  test('every code has one, and what nobody knows is a bug unless it may be tried again', () => {
    for (const code of errorCodes) expect(failureClassOf(error(code))).toBeTypeOf('string');
    expect(failureClassOf(error('environment.unfit'))).toBe('bug');
    expect(failureClassOf(error('environment.unfit', { retryable: 'yes' }))).toBe('outage');
  });

  test('a policy says otherwise for the team, and a member for itself', () => {
    const rules = rulesFor({ directives: { auth: 'stop', bug: 'stop' } }, { directives: { bug: 'restart' } });
    expect(firstVerdict(rules, end({ error: error('model.auth') })).directive).toBe('stop');
    expect(firstVerdict(rules, end({ error: error('internal') })).directive).toBe('restart');
  });

  test('a rate limit is waited out for as long as the provider says, if that is longer', () => {
    const limited = end({ error: error('model.rate-limited', { retryAfterMs: 12_345 }) });
    expect(firstVerdict(rulesFor({}), limited)).toMatchObject({ waitMs: 12_345 });
    const soon = end({ error: error('model.rate-limited', { retryAfterMs: 1 }) });
    expect(firstVerdict(rulesFor({}), soon)).toMatchObject({ waitMs: expect.closeTo(300, -3) as number });
  });

  test('the same failure again and again makes its task poison; what comes and goes by itself never does', () => {
    const rules = rulesFor({ intensity: { restarts: 100, withinMs: 1 }, poisonAfter: 3 });
    const directives = (code: ErrorData['code']): readonly Directive[] => {
      const own = rules.members['ann'];
      let trouble = UNTROUBLED;
      return [1, 2, 3].map((at) => {
        const failed = end({ error: error(code), at });
        if (own !== undefined) trouble = withFailure(trouble, own, failed);
        return verdictOn(rules, 'ann', failed, trouble, []).directive;
      });
    };
    expect(directives('agent.threw')).toEqual(['restart', 'restart', 'quarantine']);
    expect(directives('model.unavailable')).toEqual(['restart', 'restart', 'restart']);
    expect(directives('model.rate-limited')).toEqual(['backOff', 'backOff', 'backOff']);
  });
});

describe('who is restarted at all', () => {
  test.each<readonly [RestartKind, 'failed' | 'stopped', boolean]>([
    ['permanent', 'failed', true],
    ['permanent', 'stopped', true],
    ['transient', 'failed', true],
    ['transient', 'stopped', false],
    ['temporary', 'failed', false],
    ['temporary', 'stopped', false],
  ])('a %s member that %s: %s', (restart, how, isRestarted) => {
    const of = how === 'failed' ? end() : end({ error: null, isFailure: false });
    expect(firstVerdict(rulesFor({ restart }), of).directive).toBe(isRestarted ? 'restart' : 'stop');
  });

  test('without a policy nobody is; a member that brings its own is supervised by it, and no other', () => {
    expect(teamRules(undefined, { ann: undefined, bob: undefined })).toBeNull();
    const rules = teamRules(undefined, { ann: { restart: 'transient' }, bob: undefined });
    expect(rules?.members['ann']?.restart).toBe('transient');
    expect(rules?.members['bob']?.restart).toBe('temporary');
  });
});

describe('[P3] intensity', () => {
  const rules = rulesFor({});

  test('three restarts in thirty seconds are allowed, the fourth is an escalation, never a silent loop', () => {
    expect(firstVerdict(rules, end({ at: 29_999 }), [0, 10_000]).directive).toBe('restart');
    expect(firstVerdict(rules, end({ at: 29_999 }), [0, 10_000, 20_000]).directive).toBe('escalate');
  });

  test('a restart that is exactly thirty seconds old counts no more', () => {
    expect(firstVerdict(rules, end({ at: 30_000 }), [0, 10_000, 20_000]).directive).toBe('restart');
  });

  test('whatever the times: a failure is answered by a restart exactly if fewer than allowed are recent', () => {
    fc.assert(
      fc.property(
        fc.nat(5),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(100), { maxLength: 8 }),
        (restarts, withinMs, times) => {
          const allowed = rulesFor({ intensity: { restarts, withinMs }, poisonAfter: 99 });
          const sorted = times.toSorted((a, b) => a - b);
          const at = sorted.at(-1) ?? 0;
          const recent = sorted.filter((time) => time > at - withinMs).length;
          const { directive } = firstVerdict(allowed, end({ at }), sorted);
          expect(directive).toBe(recent < restarts ? 'restart' : 'escalate');
        },
      ),
      { numRuns: RUNS },
    );
  });
});

describe('back-off', () => {
  const backOff = { leastMs: 200, mostMs: 30_000, stableMs: 30_000 };

  test('is by chance between the least and a bound that doubles, up to the most', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.string(), (streak, seed) => {
        const wait = backOffMs(backOff, streak, seed);
        expect(wait).toBeGreaterThanOrEqual(200);
        expect(wait).toBeLessThanOrEqual(Math.min(30_000, 200 * 2 ** streak));
      }),
      { numRuns: RUNS },
    );
  });

  test('those who failed together do not come back together', () => {
    const waits = Array.from({ length: 1_000 }, (_, index) => backOffMs(backOff, 5, `run/ann-${index}`));
    expect(new Set(waits).size).toBeGreaterThan(900);
    // Spread over the whole of it: no tenth of the time has more than a fifth of them.
    const tenths = waits.map((wait) => Math.min(9, Math.floor(((wait - 200) / (6_400 - 200)) * 10)));
    for (let tenth = 0; tenth < 10; tenth += 1)
      expect(tenths.filter((each) => each === tenth).length).toBeLessThan(200);
  });

  test('begins anew after a stable time', () => {
    const rules = rulesFor({}).members['ann'];
    if (rules === undefined) throw new Error('ann is a member');
    const troubled = { streak: 4, equal: 1, kind: 'agent.threw' };
    expect(withFailure(troubled, rules, end({ startedAt: 0, at: 29_999 })).streak).toBe(5);
    expect(withFailure(troubled, rules, end({ startedAt: 0, at: 30_000 })).streak).toBe(1);
  });

  test('chance is a number from 0 to below 1, and the same for the same text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const chance = hashOf(text);
        expect(chance).toBeGreaterThanOrEqual(0);
        expect(chance).toBeLessThan(1);
        expect(hashOf(text)).toBe(chance);
      }),
    );
  });
});

test.each([
  ['one-for-one', [2]],
  ['one-for-all', [0, 1, 2, 3]],
  ['rest-for-one', [2, 3]],
] as const)('[P2] %s starts again %j', (strategy, again) => {
  expect(restartsWith(strategy, 2, 4)).toEqual(again);
});
