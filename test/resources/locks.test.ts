import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkMachine } from '../../src/machines/check-machine.ts';
import { leaseMachine } from '../../src/machines/resources/lease-machine.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { locks } from '../../src/index.ts';
import type { HeldLock } from '../../src/runtime/resources/held-lock.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deferred, hang, letTimePass, quiet, settled, start } from '../support/runs.ts';
import { manualClock, microtasks, search } from './manual-clock.ts';

const failed = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe('a named lock', () => {
  test('its machine keeps the rules of the house, but that it has no end', () => {
    expect(checkMachine(leaseMachine)).toEqual(['no final state can be reached']);
  });

  test('[TENEX-Q16] never has two holders, is passed on in order, fences grow, and no waiter is lost', async () => {
    const step = fc.record({
      kind: fc.constantFrom('want', 'want', 'want', 'release', 'abort', 'wait', 'renew'),
      which: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const time = manualClock();
        const { lock, snapshot } = bound(time);
        const held: { readonly who: number; readonly lock: HeldLock }[] = [];
        const waiting = new Map<number, AbortController>();
        const order: number[] = [];
        let who = 0;
        const check = (): void => {
          const holders = held.filter(({ lock: each }) => each.isHeld);
          expect(holders.length).toBeLessThanOrEqual(1);
          expect(snapshot().map(({ fence }) => fence)).toEqual(holders.map(({ lock: each }) => each.fence));
          expect(snapshot()[0]?.waiting ?? 0).toBe(waiting.size);
        };
        for (const { kind, which } of steps) {
          const holder = held.find(({ lock: each }) => each.isHeld);
          if (kind === 'want') {
            const mine = (who += 1);
            const controller = new AbortController();
            waiting.set(mine, controller);
            void lock({ signal: controller.signal, owner: `${mine}` }).then(
              (got) => {
                waiting.delete(mine);
                order.push(mine);
                held.push({ who: mine, lock: got });
              },
              () => waiting.delete(mine),
            );
          } else if (kind === 'release') holder?.lock.release();
          else if (kind === 'renew') holder?.lock.renew();
          else if (kind === 'abort') [...waiting.values()][which % Math.max(1, waiting.size)]?.abort();
          else await time.advance(which * 20);
          await microtasks();
          check();
        }
        for (let round = 0; round < 60 && snapshot().length > 0; round += 1) await time.advance(100);
        expect({ waiting: waiting.size, pending: time.pending, held: snapshot() }).toEqual({
          waiting: 0,
          pending: 0,
          held: [],
        });
        expect(order).toEqual(order.toSorted((one, other) => one - other));
        const fences = held.map(({ lock: each }) => each.fence);
        expect(fences).toEqual(fences.toSorted((one, other) => one - other));
        expect(new Set(fences).size).toBe(fences.length);
      }),
      { ...search, numRuns: search.numRuns / 5 },
    );
  });

  /** One lock whose lease is 100 ms. */
  const bound = (time: ReturnType<typeof manualClock>) => {
    const named = locks({ clock: time.clock, leaseMs: 100, waitMs: Infinity });
    return {
      lock: (options: Parameters<typeof named.lock>[1]) => named.lock('x', options),
      snapshot: () => named.snapshot(),
    };
  };

  test('[TENEX-Q16] who waits for too long is refused, and told who has it', async () => {
    const time = manualClock();
    const named = locks({ clock: time.clock });
    await named.lock('x', { owner: 'ada' });
    const late = failed(named.lock('x', { waitMs: 500 }));
    await time.advance(500);
    expect(await late).toMatchObject({
      code: 'lock.busy',
      retryable: 'yes',
      message: "Cannot wait for the lock 'x' any longer as it was not free within 500 ms: 'ada' has it",
    });
  });

  test('[TENEX-Q16] a lease that is over goes to the next, and its holder is told; renewing keeps it', async () => {
    const time = manualClock();
    const named = locks({ clock: time.clock, leaseMs: 1_000 });
    const first = await named.lock('x');
    const second = named.lock('x');
    await time.advance(900);
    first.renew();
    await time.advance(900);
    expect({ isHeld: first.isHeld, fence: first.fence }).toEqual({ isHeld: true, fence: 1 });
    expect(named.snapshot()).toMatchObject([{ name: 'x', fence: 1, until: 1_900, waiting: 1 }]);
    first.renew(50);
    await time.advance(50);
    expect(first.signal.reason).toMatchObject({ code: 'lock.lost' });
    expect(() => {
      first.renew();
    }).toThrow(expect.objectContaining({ code: 'lock.lost' }));
    first.release();
    expect(await second).toMatchObject({ isHeld: true, fence: 2 });
    await (await second)[Symbol.asyncDispose]();
    expect({ held: named.snapshot(), pending: time.pending }).toEqual({ held: [], pending: 0 });
  });

  test('is released when its holder is called off', async () => {
    const named = locks();
    const controller = new AbortController();
    const first = await named.lock('x', { signal: controller.signal });
    const second = named.lock('x');
    controller.abort();
    expect(first.isHeld).toBe(false);
    (await second).release();
    expect(await failed(named.lock('x', { signal: controller.signal }))).toMatchObject({
      code: 'run.aborted',
    });
    expect(named.snapshot()).toEqual([]);
  });

  test.each([2, 3, 10])(
    '[TENEX-Q16] [KAIZEN-52] a circle of %i makes one victim, told of the circle; the others go on',
    async (size) => {
      const named = locks();
      const held = await Promise.all(
        Array.from({ length: size }, (_, index) => named.lock(`l${index}`, { owner: `o${index}` })),
      );
      const waits = held.map((_, index) => {
        const wait = named.lock(`l${(index + 1) % size}`, { owner: `o${index}` });
        return failed(
          wait.then((got) => {
            held[index]?.release();
            got.release();
            return 'went on';
          }),
        );
      });
      const victim = await waits.at(-1);
      expect(victim).toMatchObject({ code: 'wait.deadlock' });
      expect((victim as { data: { details: { cycle: unknown[] } } }).data.details.cycle).toHaveLength(size);
      held.at(-1)?.release();
      expect(await Promise.all(waits.slice(0, -1))).toEqual(
        Array.from({ length: size - 1 }, () => 'went on'),
      );
      expect(named.snapshot()).toEqual([]);
    },
  );

  test('a circle that is closed as the lock is passed on is found, too', async () => {
    const named = locks();
    const x = await named.lock('x', { owner: 'zoe' });
    const y = await named.lock('y', { owner: 'bob' });
    // Ada waits for both at once; bob, behind her for x, has y.
    const adasX = named.lock('x', { owner: 'ada' });
    const adasY = named.lock('y', { owner: 'ada' });
    const bobsX = failed(named.lock('x', { owner: 'bob' }));
    x.release();
    expect(await bobsX).toMatchObject({ code: 'wait.deadlock' });
    y.release();
    (await adasX).release();
    (await adasY).release();
    expect(named.snapshot()).toEqual([]);
  });

  test('who comes while nobody waits in a circle is never refused', async () => {
    const named = locks();
    const held = await named.lock('x', { owner: 'ada' });
    const others = ['bob', 'cid', 'dan'].map((owner) => named.lock('x', { owner }));
    held.release();
    for (const other of others) (await other).release();
    (await named.lock('x', { owner: 'ada' })).release();
    expect(named.snapshot()).toEqual([]);
  });

  test('closed, it refuses whoever waits and comes', async () => {
    const named = locks({ name: 'files' });
    const held = await named.lock('x');
    const waiting = failed(named.lock('x'));
    named.close();
    expect(await waiting).toMatchObject({ code: 'resource.closed' });
    expect(await failed(named.lock('y'))).toMatchObject({ code: 'resource.closed' });
    held.release();
    expect(named.snapshot()).toEqual([]);
  });

  test('refuses what is no name and no time', async () => {
    expect(await failed(locks().lock(''))).toMatchObject({ code: 'resource.invalid' });
    expect(await failed(locks().lock('x', { leaseMs: 0 }))).toMatchObject({ code: 'resource.invalid' });
    expect(() => locks({ waitMs: Number.NaN })).toThrow(
      expect.objectContaining({ code: 'resource.invalid' }),
    );
  });
});

describe('a tool that holds a lock', () => {
  const edit = (during: (path: string) => Promise<void>) =>
    tool({
      name: 'edit',
      description: 'Edits a file.',
      input: z.object({ path: z.string() }),
      safety: 'write',
      execute: async ({ path }) => {
        await during(path);
        return 'edited';
      },
    });
  const pathOf = (input: unknown): string => z.object({ path: z.string() }).parse(input).path;
  const editing = (path: string) => scriptedModel([calls({ name: 'edit', input: { path } }), 'done']);

  test('[TENEX-Q16] two agents that edit the same file do so one after the other', async () => {
    const named = locks();
    const work = { a: deferred<void>(), b: deferred<void>() };
    const log: string[] = [];
    const wanted = named.locked(
      edit(async (path) => {
        log.push(`begins ${path}`);
        await (path === 'a' ? work.a : work.b).promise;
        log.push(`ends ${path}`);
      }),
      pathOf,
    );
    const runs = ['a', 'a', 'b'].map((path, index) =>
      settled(start(agent({ name: `e${index}`, model: editing(path), tools: [wanted] }), 'go')),
    );
    await quiet();
    expect(log).toEqual(['begins a', 'begins b']);
    work.b.resolve();
    work.a.resolve();
    expect((await Promise.all(runs)).map(({ output }) => output)).toEqual(['done', 'done', 'done']);
    expect(log.filter((line) => line.endsWith('a'))).toEqual(['begins a', 'ends a', 'begins a', 'ends a']);
    expect(named.snapshot()).toEqual([]);
  });

  test('[TENEX-Q16] is let go of however the call ends: by an abort, a time-out, or a throw', async () => {
    const clock = virtualClock();
    const named = locks({ clock });
    const hanging = named.locked({ ...hang, timeoutMs: 1_000, retry: { ...hang.retry, attempts: 1 } }, 'x');
    const one = () =>
      agent({
        name: 'one',
        model: scriptedModel([calls({ name: 'hang', input: {} }), 'done']),
        tools: [hanging],
      });
    const aborted = start(one(), 'go', { clock });
    await quiet();
    expect(named.snapshot()).toHaveLength(1);
    aborted.abort();
    await quiet();
    expect(named.snapshot()).toEqual([]);
    await letTimePass(clock, settled(start(one(), 'go', { clock })));
    expect(named.snapshot()).toEqual([]);
    const broken = named.locked(
      edit(() => Promise.reject(new Error('broken'))),
      'x',
    );
    await settled(start(agent({ name: 'two', model: editing('x'), tools: [broken] }), 'go', { clock }));
    expect({ held: named.snapshot(), pending: clock.pending }).toEqual({ held: [], pending: 0 });
  });

  test('fails with lock.lost when its lease is over, and its signal says so', async () => {
    const clock = virtualClock();
    const named = locks({ clock });
    let signal: AbortSignal | undefined;
    const slow = tool({
      name: 'edit',
      description: 'Edits slowly.',
      input: z.object({ path: z.string() }),
      safety: 'write',
      execute: (_input, context) => {
        signal = context.signal;
        return new Promise<string>(() => undefined);
      },
    });
    const wanted = named.locked(slow, pathOf, { leaseMs: 1_000 });
    const run = settled(start(agent({ name: 'e', model: editing('x'), tools: [wanted] }), 'go', { clock }));
    const { records } = await letTimePass(clock, run);
    expect(records[0]?.results).toMatchObject([{ ok: false, error: { code: 'lock.lost' } }]);
    expect(signal?.aborted).toBe(true);
  });

  test('[TENEX-Q16] two agents whose children want what the other holds: one victim, and both runs end', async () => {
    const named = locks();
    const both = deferred<void>();
    let inside = 0;
    const child = (name: string, path: string) =>
      agent({
        name,
        model: editing(path),
        tools: [
          named.locked(
            edit(async () => undefined),
            pathOf,
          ),
        ],
      });
    const parent = (name: string, own: string, other: string) => {
      const take = tool({
        name: 'edit',
        description: 'Edits, and has another edit.',
        input: z.object({ path: z.string() }),
        safety: 'write',
        execute: async (_input, context) => {
          inside += 1;
          if (inside === 2) both.resolve();
          await both.promise;
          const { records } = await context.run(child(`${name}-child`, other), 'go');
          const [result] = records.flatMap(({ results }) => results);
          return result?.ok === false ? result.error.code : 'edited';
        },
      });
      return agent({ name, model: editing(own), tools: [named.locked(take, pathOf)] });
    };
    const runs = await Promise.all(
      [parent('ada', 'x', 'y'), parent('bob', 'y', 'x')].map((each) => settled(start(each, 'go'))),
    );
    const values = runs
      .map(({ records }) => records[0]?.results[0])
      .map((result) => (result?.ok === true ? result.value : '?'));
    expect(new Set(values)).toEqual(new Set(['edited', 'wait.deadlock']));
    expect(named.snapshot()).toEqual([]);
  });

  test('a child that wants what its own caller holds is told so, at once', async () => {
    const named = locks();
    const child = agent({
      name: 'child',
      model: editing('x'),
      tools: [
        named.locked(
          edit(async () => undefined),
          pathOf,
        ),
      ],
    });
    const take = tool({
      name: 'edit',
      description: 'Edits, and has a child edit.',
      input: z.object({ path: z.string() }),
      safety: 'write',
      execute: async (_input, context) => {
        const { records } = await context.run(child, 'go');
        const [result] = records.flatMap(({ results }) => results);
        return result?.ok === false ? result.error.code : 'edited';
      },
    });
    const parent = agent({ name: 'parent', model: editing('x'), tools: [named.locked(take, pathOf)] });
    const { records } = await settled(start(parent, 'go'));
    expect(records[0]?.results).toMatchObject([{ ok: true, value: 'wait.deadlock' }]);
  });
});
