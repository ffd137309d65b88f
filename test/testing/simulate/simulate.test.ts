import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import { agent, tool } from '../../../src/index.ts';
import { windowMemory } from '../../../src/memory/index.ts';
import { parallel, pipeline } from '../../../src/patterns/index.ts';
import { property } from '../../../src/policy/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { faultKinds } from '../../../src/testing/resilience/fault.ts';
import { simulate, scriptedModel } from '../../../src/testing/index.ts';
import { sized } from '../../support/thorough.ts';

const paid: unknown[] = [];
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  safety: 'write',
  approval: true,
  input: z.object({ amount: z.number().min(1).max(100), to: z.enum(['ann', 'ben']) }),
  execute: (input) => {
    paid.push(input);
    return 'paid';
  },
});
const look = tool({
  name: 'look',
  description: 'Looks.',
  safety: 'read',
  input: z.object({ city: z.string() }),
  output: z.object({ degrees: z.number() }),
  execute: () => ({ degrees: 5 }),
});

/** A team that waits: for people, for slow tools, and before it tries again. */
const desk = parallel({
  name: 'desk',
  members: {
    ann: agent({ name: 'ann', tools: [pay, look] }),
    ben: agent({ name: 'ben', tools: [pay, look] }),
  },
});

describe('a simulation', () => {
  test('makes the same log of the same seed, byte for byte, and another one of another seed', async () => {
    const logs: string[][] = [];
    for (let time = 0; time < 2; time += 1) {
      const log: string[] = [];
      logs.push(log);
      const { verdict } = await simulate(desk, {
        runs: sized(8, 500),
        check: ({ events }) => void log.push(JSON.stringify(events)),
      });
      expect(verdict).toBe('holds');
    }
    expect(logs[0]).toEqual(logs[1]);
    // Calm seeds are alike.
    expect(new Set(logs[0]).size).toBeGreaterThan((logs[0]?.length ?? 0) * 0.8);
  });

  test('has every kind of fault, people, callers and orders in it, and reports days and their number in an hour', async () => {
    const report = await simulate(desk, { seed: 1, runs: sized(40, 600) });
    expect(report.failures).toEqual([]);
    const happened = Object.keys(report.happened);
    expect(happened).toEqual(
      expect.arrayContaining([
        'calls',
        'answer',
        'turn',
        'afterMs',
        'no',
        'never',
        'twice',
        'abort',
        'message',
        'pause',
      ]),
    );
    expect(happened.filter((name) => faultKinds.some((kind) => kind === name)).length).toBeGreaterThan(
      sized(8, faultKinds.length - 1),
    );
    expect(Object.keys(report.ends)).toEqual(expect.arrayContaining(['completed', 'aborted', 'waiting']));
    expect(report.days).toBeGreaterThan(10);
    expect(report.daysPerHour).toBe(Math.round((report.days * 3_600_000) / report.elapsedMs));
    // No tool that a generated model calls is executed.
    expect(paid).toEqual([]);
  });

  test('ends when as many days have passed', async () => {
    const { days, runs } = await simulate(desk, { days: 2 });
    expect(days).toBeGreaterThanOrEqual(2);
    const { days: fewer } = await simulate(desk, { runs: runs - 1 });
    expect(fewer).toBeLessThan(2);
  });

  test('shrinks what violates a property to the decisions that it needs, which replay it', async () => {
    const properties = [property.atMost(1, 'pay').named('pay-once')];
    const { verdict, failures } = await simulate(desk, { properties, runs: 10 });
    const [failure] = failures;
    if (failure === undefined) throw new Error('nothing was found');
    expect([verdict, failure.rule, failure.times > 1]).toEqual(['failed', 'pay-once', true]);
    const calls = failure.script.decisions.flatMap((each) => (each.what === 'calls' ? each.value : []));
    expect(calls.filter(({ name }) => name === 'pay').length).toBe(2);
    expect(failure.script.decisions.length).toBeLessThanOrEqual(2);
    expect(failure.decisions).toBeGreaterThan(failure.script.decisions.length);
    expect(failure.story.moves.filter(({ isDecided }) => isDecided).length).toBe(
      failure.script.decisions.length,
    );
    expect(failure.story.diagram).toContain('pay-once: pay happened more than 1 time');

    const script: unknown = JSON.parse(JSON.stringify(failure.script));
    const again = await Reflect.apply(simulate, undefined, [desk, { properties, script, shrinking: 0 }]);
    expect(again).toMatchObject({ runs: 1, failures: [{ rule: 'pay-once', reason: failure.reason }] });
    const empty = { ...failure.script, decisions: failure.script.decisions.slice(1) };
    expect((await simulate(desk, { properties, script: empty })).verdict).toBe('holds');
  });

  test('needs no decision for what always fails, and takes what a check says', async () => {
    for (const [check, reason] of [
      [() => false, 'it is false'],
      [() => 'it is too late', 'it is too late'],
      [() => Promise.reject(new Error('it threw')), 'it threw'],
    ] as const) {
      const { failures } = await simulate(desk, { check, runs: 2 });
      expect(failures).toMatchObject([{ rule: 'check', reason, times: 2, script: { decisions: [] } }]);
    }
  });

  test('finds a store that forgets what it has acknowledged, when the process is killed', async () => {
    /** Keeps its last commit in mind, and writes it with the next one. */
    const forgetful = (): JournalStore => {
      const store = memoryStore();
      let late: (() => unknown) | undefined;
      const flush = (): void => {
        late?.();
        late = undefined;
      };
      return {
        name: 'forgetful',
        identity: store.identity,
        create: (...given) => store.create(...given),
        acquire: (...given) => {
          // It never came to the disk.
          late = undefined;
          return store.acquire(...given);
        },
        renew: (...given) => store.renew(...given),
        release: (lease) => {
          flush();
          return store.release(lease);
        },
        leases: () => store.leases(),
        commit: (lease, commit) => {
          flush();
          late = () => store.commit(lease, commit);
        },
        read: (...given) => {
          flush();
          return store.read(...given);
        },
        entry: (...given) => store.entry(...given),
        list: (...given) => store.list(...given),
        post: (...given) => store.post(...given),
        letters: (...given) => store.letters(...given),
        prune: (...given) => store.prune(...given),
        files: (room) => store.files(room),
        close: () => store.close(),
      };
    };
    const options = {
      store: forgetful,
      unrest: ['process'],
      tools: 'simulated',
      runs: sized(25, 60),
      shrinking: sized(20, 200),
    } as const;
    const { failures } = await simulate(desk, options);
    expect(failures.map(({ rule }) => rule)).toContain('resumed as it was');
    const sound = await simulate(desk, { ...options, store: memoryStore });
    expect(sound.failures).toEqual([]);
  });

  test('executes tools where a model of the agent calls them, or where it is told to', async () => {
    paid.length = 0;
    await simulate(desk, { runs: 20, tools: 'executed', unrest: [] });
    expect(paid.length).toBeGreaterThan(0);
    for (const input of paid) expect(pay.check(Object(input))).toMatchObject({ ok: true });
  });

  test('leaves an agent its own model if that is none of a provider, made anew for each run', async () => {
    const make = () =>
      pipeline({
        name: 'line',
        stages: [agent({ name: 'one', model: scriptedModel(['first']) }), agent({ name: 'two' })],
      });
    const outputs = new Set<unknown>();
    await simulate(make, { runs: 4, unrest: [], check: ({ result }) => void outputs.add(result.output) });
    expect([...outputs].every((output) => output === 'done' || String(output).startsWith('answer'))).toBe(
      true,
    );
    await expect(simulate(make())).rejects.toThrow("the model of 'one' is a script, which has one end");
  });

  test('stops when it is no longer wanted', async () => {
    const controller = new AbortController();
    const { verdict, runs } = await simulate(desk, {
      signal: controller.signal,
      onProgress: (made) => {
        if (made === 3) controller.abort();
      },
    });
    expect([verdict, runs]).toEqual(['stopped', 3]);
  });

  test.each([
    [{ unrest: ['weather'] }, 'not one of model, tool, store, process, time, order, person, caller'],
    [{ seeds: 3 }, 'did you mean `seed`'],
    [{ runs: 0 }, 'not a whole number from 1'],
    [
      { script: { agent: 'desk', seed: 1, decisions: [{ at: 'x', what: 'fault', value: 'rain' }] } },
      'Cannot replay the script',
    ],
    [{ script: { agent: 'shop', seed: 1, decisions: [] } }, "as it is of 'shop'"],
  ])('refuses %j', async (options, message) => {
    await expect(Reflect.apply(simulate, undefined, [desk, options])).rejects.toThrow(message);
  });

  test('refuses an agent that its runs would change', async () => {
    const writer = agent({ name: 'writer', memory: [windowMemory()] });
    await expect(simulate(writer)).rejects.toThrow("'writer' has memories");
  });
});
