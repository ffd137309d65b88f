import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Budget } from '../../src/contracts/runs/budget.ts';
import { LazyAbort } from '../../src/base/promises/lazy-abort.ts';
import type { Reservation } from '../../src/policy/budget-account.ts';
import { BudgetAccount, isSpent } from '../../src/policy/budget-account.ts';
import { budgetLimits, overriding } from '../../src/policy/budget-limits.ts';

const limitsOf = (budget: Budget) => {
  const limits = budgetLimits(budget, { code: 'agent.invalid', owner: `the agent 'a'` });
  if (limits === undefined) throw new Error('limits nothing');
  return limits;
};

const open = (budget: Budget, above?: BudgetAccount, now = () => 0) =>
  new BudgetAccount({ limits: limitsOf(budget), path: above === undefined ? 'a' : 'a/b', now, above });

const held = (answer: unknown): Reservation => {
  if (typeof answer !== 'object' || answer === null || !('settle' in answer))
    throw new Error(`no reservation: ${JSON.stringify(answer)}`);
  return answer as Reservation;
};

const NOBODY = new LazyAbort();
const tokens = (count: number) => ({ tokens: count, usd: 0 });

describe('an account', () => {
  test('holds what a call may cost, and gives back what it did not', () => {
    const account = open({ tokens: 100 });
    const call = held(account.reserve(tokens(60), NOBODY));
    expect(account.reserved.tokens).toBe(60);
    call.settle(tokens(10));
    call.settle(tokens(10));
    expect(account.reserved.tokens).toBe(0);
    expect(account.use('a').tokens).toEqual({ limit: 100, used: 10, fraction: 0.1, path: 'a' });
  });

  test('a call that does not fit beside another waits for it, and alone it may begin although it may overshoot', async () => {
    const account = open({ tokens: 100 });
    const first = held(account.reserve(tokens(4_000), NOBODY));
    const second = account.reserve(tokens(4_000), NOBODY);
    expect(second).toBeInstanceOf(Promise);
    first.settle(tokens(99));
    held(await second).settle(tokens(4_000));
    expect(account.reserve(tokens(1), NOBODY)).toEqual({
      kind: 'budget',
      budget: 'tokens',
      limit: 100,
      used: 4_099,
      path: 'a',
    });
  });

  test('who waits is told when nothing is left, and who gave up waiting is gone', async () => {
    const account = open({ tokens: 100 });
    const first = held(account.reserve(tokens(90), NOBODY));
    const abort = new LazyAbort();
    const gone = account.reserve(tokens(90), abort);
    const left = account.reserve(tokens(90), NOBODY);
    abort.abort();
    await expect(gone).rejects.toMatchObject({ code: 'run.aborted' });
    first.settle(tokens(100));
    expect(await left).toMatchObject({ kind: 'budget', budget: 'tokens' });
    expect(account.reserved.tokens).toBe(0);
  });

  test('[KAIZEN-84] a child cannot use more than its grant, nor more than is left above it; what it leaves is there again', () => {
    const above = open({ tokens: 1_000 });
    const child = open({ tokens: 100 }, above);
    held(child.reserve(tokens(100), NOBODY)).settle(tokens(100));
    expect(child.reserve(tokens(1), NOBODY)).toMatchObject({ limit: 100, path: 'a/b' });
    expect(above.use('a').tokens?.used).toBe(100);
    above.charge(tokens(900));
    expect(open({ tokens: 500 }, above).reserve(tokens(1), NOBODY)).toMatchObject({
      limit: 1_000,
      path: 'a',
    });
  });

  test('[KAIZEN-84] zero is blocked: no tool call, and no call that costs money', () => {
    const account = open({ toolCalls: 0, usd: 0 });
    expect(account.take('toolCalls')).toMatchObject({ budget: 'toolCalls', limit: 0, used: 0 });
    expect(account.reserve({ tokens: 1, usd: 0.01 }, NOBODY)).toMatchObject({ budget: 'usd' });
    held(account.reserve({ tokens: 1, usd: 0 }, NOBODY)).settle(tokens(1));
  });

  test('time is compared with `>`', () => {
    let now = 0;
    const account = open({ timeMs: 10 }, undefined, () => now);
    now = 10;
    expect(account.take('steps')).toBeUndefined();
    now = 11;
    expect(account.take('steps')).toMatchObject({ budget: 'timeMs', used: 11 });
    expect(account.reserve(tokens(1), NOBODY)).toMatchObject({ budget: 'timeMs' });
  });

  test('dollars add up to the limit without a rest', () => {
    const account = open({ usd: 0.3 });
    for (let call = 0; call < 3; call += 1)
      held(account.reserve({ tokens: 1, usd: 0.1 }, NOBODY)).settle({ tokens: 1, usd: 0.1 });
    expect(account.reserved.usd).toBe(0);
    expect(account.reserve({ tokens: 1, usd: 0.1 }, NOBODY)).toMatchObject({ budget: 'usd', used: 0.3 });
  });
});

describe('limits', () => {
  test.each<[string, unknown]>([
    ['steps', 0],
    ['steps', 1.5],
    ['steps', NaN],
    ['tokens', 0],
    ['tokens', 0.5],
    ['tokens', '100'],
    ['toolCalls', -1],
    ['toolCalls', 2.5],
    ['timeMs', -1],
    ['timeMs', NaN],
    ['usd', -0.01],
    ['usd', NaN],
    ['warnAt', 0],
    ['warnAt', 1.1],
    ['unpriced', 'maybe'],
    ['token', 5],
  ])('%s: %s is refused, and it is said what was found', (option, value) => {
    const define = () => limitsOf({ [option]: value });
    expect(define).toThrow(expect.objectContaining({ code: 'agent.invalid' }));
    expect(define).toThrow(option);
  });

  test('Infinity limits nothing, a part of a dollar or a millisecond does', () => {
    const where = { code: 'agent.invalid', owner: 'it' } as const;
    expect(budgetLimits({ steps: Infinity, usd: Infinity }, where)).toBeUndefined();
    expect(budgetLimits({}, where)).toBeUndefined();
    expect(budgetLimits({ usd: 0.001, timeMs: 0.5 }, where)).toMatchObject({ usd: 0.001, timeMs: 0.5 });
  });

  test('one budget over another: kind by kind', () => {
    expect(overriding({ steps: 5, tokens: 10 }, { steps: 9, tokens: undefined })).toEqual({
      steps: 9,
      tokens: 10,
    });
    expect(overriding(undefined, { usd: 1 })).toEqual({ usd: 1 });
    expect(overriding({ usd: 1 }, undefined)).toEqual({ usd: 1 });
  });
});

/** Calls of several members, in any order of beginning and ending; each uses at most what it reserves. */
const scripts = fc.record({
  limit: fc.integer({ min: 1, max: 2_000 }),
  grants: fc.array(fc.option(fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 4 }),
  calls: fc.array(
    fc.record({
      member: fc.nat(3),
      estimate: fc.integer({ min: 1, max: 800 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 30 },
  ),
  ends: fc.array(fc.nat(), { maxLength: 60 }),
});

test('whatever calls begin and end in whatever order, no account is overshot by more than one call, and nothing stays reserved', async () => {
  await fc.assert(
    fc.asyncProperty(scripts, async ({ limit, grants, calls, ends }) => {
      const root = open({ tokens: limit });
      const members = grants.map((grant) => (grant === null ? root : open({ tokens: grant }, root)));
      const underWay: { readonly reservation: Reservation; readonly used: number }[] = [];
      let pending = 0;
      const settleOne = (pick: number): void => {
        const [call] = underWay.splice(pick % Math.max(1, underWay.length), 1);
        call?.reservation.settle(tokens(call.used));
      };
      for (const [index, { member, estimate, part }] of calls.entries()) {
        const account = members[member % members.length] ?? root;
        const begin = (answer: Awaited<ReturnType<BudgetAccount['reserve']>>): void => {
          if (!isSpent(answer)) underWay.push({ reservation: answer, used: Math.floor(estimate * part) });
        };
        const answer = account.reserve(tokens(estimate), NOBODY);
        if (answer instanceof Promise) {
          pending += 1;
          void answer.then((settled) => {
            pending -= 1;
            begin(settled);
          });
        } else begin(answer);
        const pick = ends[index];
        if (pick !== undefined && pick % 2 === 0) settleOne(pick);
        await Promise.resolve();
      }
      for (let turn = 0; turn < 200 && (underWay.length > 0 || pending > 0); turn += 1) {
        settleOne(ends[turn] ?? 0);
        await Promise.resolve();
      }
      expect(pending).toBe(0);
      const largest = Math.max(0, ...calls.map(({ estimate }) => estimate));
      for (const account of [root, ...members]) {
        const { limit: of = 0, used = 0 } = account.use('a').tokens ?? {};
        expect(account.reserved.tokens).toBe(0);
        // One that costs more than is left begins only where no other is under way.
        expect(used).toBeLessThanOrEqual(of + largest);
      }
    }),
    { numRuns: 500 },
  );
});
