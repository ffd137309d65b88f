import { describe, expect, test } from 'vitest';
import type { Agent } from '../../src/contracts/agent.ts';
import type { RunOptions, RunResult } from '../../src/contracts/run.ts';
import { charts } from '../../src/coordination/charts.ts';
import { chartOf, statesWithin } from '../../src/machines/chart.ts';
import { checkMachine } from '../../src/machines/check-machine.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { pipeline } from '../../src/runtime/patterns/index.ts';
import { act } from '../../src/contracts/decision.ts';
import type { Model } from '../../src/contracts/model.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import type { ScriptedReply } from '../../src/testing/scripted-model.ts';
import { compareRuns } from '../../src/testing/compare-runs.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, quiet, settled, start } from '../support/runs.ts';
import { allRows } from './all-rows.ts';
import type { Member, PatternRow } from './patterns/pattern-row.ts';
import { parrot } from './patterns/pattern-row.ts';

type Result = RunResult<unknown, unknown>;

const dead = new Error('dead');

/** A model that says one thing, once. */
const scriptedOnce = (reply: ScriptedReply): Model => scriptedModel([reply]);

/** Never answers. */
const mute = (name: string): Member => agent({ name, decide: () => never() });

const two = ({ says }: PatternRow): Record<string, Member> => ({
  ann: parrot('ann', says('ann')),
  bob: parrot('bob', says('bob')),
});

const run = async (subject: Agent<string, unknown, unknown>, options: RunOptions = {}): Promise<Result> => {
  const clock = virtualClock(1_000);
  const result = settled(start(subject, 'go', { runId: 'r', clock, ...options }));
  return letTimePass(clock, result, 1_000);
};

/** Everybody who was engaged has ended, before the team; the team's end is the last event, and nothing broke inside. */
const expectWhole = ({ events, status, error }: Result): void => {
  const engaged = ofType(events, 'member.engaged').map(({ path }) => path);
  const ended = ofType(events, 'member.ended').map(({ path }) => path);
  expect(ended.toSorted()).toEqual(engaged.toSorted());
  expect(new Set(engaged).size).toBe(engaged.length);
  expect(events.at(-1)).toMatchObject({ type: 'run.ended', status });
  expect(['internal', 'machine.threw']).not.toContain(error?.code);
};

test('every pattern has its row in this table', () => {
  const known = new Set(allRows.map(({ chart }) => chart()));
  const missing = Object.entries(charts).filter(([, chart]) => !known.has(chart()));
  expect(missing.map(([name]) => name)).toEqual([]);
});

test('no pattern is another one under a new name: each has states that no other has', () => {
  const statesOf = (row: PatternRow): readonly string[] =>
    statesWithin(chartOf(row.chart())).map(({ key }) => key);
  const shared = allRows.flatMap((row) => {
    const others = allRows.filter((other) => other.chart() !== row.chart()).flatMap(statesOf);
    const own = row.ownStates.filter((state) => statesOf(row).includes(state) && !others.includes(state));
    return own.length === 0 ? [row.name] : [];
  });
  expect(shared).toEqual([]);
});

describe.each(allRows)('$name', (row) => {
  const { chart, make, says, output, oneFails = 'completed', allFail = 'failed', isParallel, endless } = row;

  test('its machine keeps the rules of the house, and its diagram shows every state', () => {
    expect(checkMachine(chart())).toEqual([]);
    const diagram = make(two(row)).diagram();
    for (const state of statesWithin(chartOf(chart()))) expect(diagram).toContain(state.key);
  });

  describe('$name', () => {
    test('it finishes, and every member that was engaged has ended before it', async () => {
      const result = await run(make(two(row)));
      expect(result).toMatchObject({ status: 'completed', stopReason: { kind: 'answered' }, output });
      expectWhole(result);
    });

    test('[P1] one member that fails leaves what the others have', async () => {
      const result = await run(make({ ...two(row), ann: parrot('ann', dead) }));
      expect(result.status).toBe(oneFails);
      expect(oneFails === 'failed' || (result.output ?? result.candidate) !== undefined).toBe(true);
      expectWhole(result);
    });

    test('[P1] all members that fail are an end, and no hang', async () => {
      const members = { ann: parrot('ann', dead), bob: parrot('bob', dead) };
      const result = await run(make(members));
      expect(result.status).toBe(allFail);
      expectWhole(result);
    });

    test('[P9] a member that never answers has had its time', async () => {
      const result = await run(make({ ...two(row), ann: mute('ann') }, { memberTimeMs: 10_000 }));
      expect(result.status).toBe(oneFails);
      expectWhole(result);
    });

    test('[P9] members none of which ever answers are an end, and no hang', async () => {
      const members = { ann: mute('ann'), bob: mute('bob') };
      const result = await run(make(members, { memberTimeMs: 10_000 }));
      expect(result.status).toBe(allFail);
      expectWhole(result);
    });

    test.each(['%%%', '{"vote": 7, "bid": "lots", "to": null, "decision": []}', '', 'x'.repeat(10_000)])(
      '[F] members that answer nonsense are an end, too: %.20s',
      async (nonsense) => {
        const members = { ann: parrot('ann', nonsense), bob: parrot('bob', nonsense) };
        expectWhole(await run(make(members)));
      },
    );

    test('[P3] under a policy a member that fails once is restarted, and the team does not notice', async () => {
      let lives = 0;
      const ann = agent({
        name: 'ann',
        model: {
          ...scriptedOnce(says('ann')),
          answer: (request, call) => {
            lives += 1;
            if (lives === 1) throw dead;
            return scriptedOnce(says('ann')).answer(request, call);
          },
        },
      });
      const result = await run(make({ ...two(row), ann }, { supervision: {} }));
      expect(result).toMatchObject({ status: 'completed', output });
      expect(ofType(result.events, 'child.restarted').map(({ member }) => member)).toEqual(['ann']);
      expectWhole(result);
    });

    test('[P8] aborted while nobody answers, it ends at once, and all members with it', async () => {
      const members = { ann: mute('ann'), bob: mute('bob') };
      const handle = start(make(members), 'go');
      await quiet();
      handle.abort('enough');
      const result = await settled(handle);
      expect(result.stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
      expectWhole(result);
    });

    test('[QITOS-53] the hooks of a member see that member and nobody else', async () => {
      const seen = new Set<string>();
      const witness = {
        name: 'witness',
        handle: ({ path }: { readonly path: string }) => void seen.add(path),
      };
      const ann = agent({ name: 'ann', hooks: [witness], model: scriptedModel(Array(9).fill(says('ann'))) });
      const result = await run(make({ ...two(row), ann }));
      const paths = ofType(result.events, 'member.engaged').filter(({ member }) => member === 'ann');
      expect([...seen].toSorted()).toEqual(paths.map(({ path }) => path).toSorted());
    });

    /** Looks and looks, a step each time, until something stops it. */
    const seeker = (name: string): Member =>
      agent({
        name,
        tools: [echo],
        loops: false,
        decide: () => act({ name: 'echo', input: { text: 'x' } }),
      });

    test.each([
      { whose: 'its own', path: (team: string) => team, within: (team: Member): Member => team },
      {
        whose: 'one above it',
        path: () => 'outer',
        within: (team: Member): Member => pipeline({ name: 'outer', stages: [team] }),
      },
    ])('a budget that stops a member stops the team, too: $whose', async ({ path, within }) => {
      const team = make({ ann: seeker('ann'), bob: seeker('bob') }) as Member;
      const result = await run(within(team), { budget: { steps: 5 } });
      const reason = { kind: 'budget', budget: 'steps', limit: 5, path: path(team.name) };
      expect(result).toMatchObject({ status: 'stopped', stopReason: reason });
      expectWhole(result);
    });

    test('messages and stray answers do not disturb it', async () => {
      const clock = virtualClock(1_000);
      const handle = start(make(two(row)), 'go', { clock });
      await quiet();
      handle.send('hurry');
      const result = await letTimePass(clock, settled(handle));
      expect(result).toMatchObject({ status: 'completed', output });
    });

    test.each(endless === undefined ? [] : [endless])(
      '[P10] it is bounded: one that would go on for ever stops',
      async (forever) => {
        const result = await run(forever.make());
        expect(result).toMatchObject({ status: 'stopped', stopReason: forever.stopReason });
        expectWhole(result);
      },
    );
  });

  test('means the same with a store and without one', async () => {
    expect(
      compareRuns(await run(make(two(row))), await run(make(two(row)), { store: memoryStore() })),
    ).toEqual([]);
  });

  test.each(isParallel ? [make] : [])('its members work at the same time', async (parallel) => {
    const peak = { now: 0, most: 0 };
    const busy = (name: string): Member => {
      const good = parrot(name, says(name));
      return agent({
        name,
        model: {
          ...scriptedOnce(says(name)),
          answer: async (request, call) => {
            peak.now += 1;
            peak.most = Math.max(peak.most, peak.now);
            await quiet();
            peak.now -= 1;
            return scriptedOnce(says(good.name)).answer(request, call);
          },
        },
      });
    };
    await run(parallel({ ann: busy('ann'), bob: busy('bob') }));
    expect(peak.most).toBe(2);
  });

  test.each(allRows)('[KAIZEN-47] $name nests in it', async (inner) => {
    const within = inner.make(two(inner), { name: 'inner' });
    const result = await run(make({ ...two(row), ann: within as Member }));
    const inside = ofType(result.events, 'member.engaged').map(({ path }) => path);
    expect(inside.some((path) => /\/(ann|inner)-\d+\/.+-\d+$/.test(path))).toBe(true);
    expectWhole(result);
  });
});
