import fc from 'fast-check';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, agent, answer, fork, isTroupeError, replay, resume, tool } from '../../src/index.ts';
import type { ForkOptions } from '../../src/runtime/journal/resume/resume-options.ts';
import type { Json } from '../../src/base/json/json.ts';
import { recordsIn } from '../../src/runtime/journal/resume/stored-run.ts';
import { parallel, pipeline } from '../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { PlainStore } from '../support/plain-store.ts';

const roll = tool({
  name: 'roll',
  description: 'Rolls.',
  input: z.object({ sides: z.number() }),
  execute: ({ sides }, { state }) => `${sides} after ${JSON.stringify(state)}`,
});

/** Adds up what it rolls, until that is ten. */
const player = (name = 'player') =>
  agent({
    name,
    tools: [roll],
    state: { total: 0, seen: [] as readonly string[] },
    decide: ({ state }) =>
      state.total < 10 ? act({ name: 'roll', input: { sides: 3 } }) : answer(`${state.total}`),
    reduce: ({ state, results }) => ({
      total: state.total + 3 * results.length,
      seen: [...state.seen, ...results.map(({ text }) => text)],
    }),
  });

const stored = async () => {
  const store = new PlainStore();
  const played = await player().run('Play.', { store, runId: 'r' });
  return { store, played };
};

const refused = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isTroupeError(thrown, 'input.invalid')).toBe(true);
  return isTroupeError(thrown) ? thrown.message : '';
};

describe('a fork with another state', () => {
  test('goes on from it: the rules, the tools and the stop rules see it, and the original stays byte for byte', async () => {
    const { store, played } = await stored();
    expect(played.output).toBe('12');
    const before = JSON.stringify(store.rows.get('r'));
    const state = { total: 8, seen: ['nothing'] };
    const handle = await fork(player(), 'r', { store, at: { step: 2 }, change: { state } });
    const forked = await handle.result;
    expect(forked.output).toBe('11');
    expect(forked.state).toEqual({ total: 11, seen: ['nothing', '3 after {"total":8,"seen":["nothing"]}'] });
    expect(JSON.stringify(store.rows.get('r'))).toBe(before);
  });

  test('says so in the reduction of the step that made it, and on record who changed it, and when', async () => {
    const { store, played } = await stored();
    const state = { total: 10, seen: [] };
    const from = Date.now();
    const handle = await fork(player(), 'r', { store, at: { step: 1 }, change: { state }, by: 'Ada' });
    const { events, output } = await handle.result;
    expect(output).toBe('10');
    const original = played.events.find(({ type }) => type === 'agent.reduced');
    const { began } = await recordsIn(store, handle.runId);
    expect(began.fork).toMatchObject({
      runId: 'r',
      path: 'player',
      step: 1,
      by: 'Ada',
      changed: { seq: original?.seq, type: 'agent.reduced' },
    });
    expect(began.fork?.at).toBeGreaterThanOrEqual(from);
    const reduced = events.find(({ seq }) => seq === original?.seq);
    expect(reduced).toMatchObject({ type: 'agent.reduced', diff: { total: { before: 0, after: 10 } } });
  });

  test('tells hooks and inspectors of the fork alone, and each event once', async () => {
    const { store } = await stored();
    const heard: string[] = [];
    const inspected: string[] = [];
    const handle = await fork(player(), 'r', {
      store,
      at: { step: 2 },
      change: { state: { total: 10, seen: [] } },
      hooks: [{ name: 'ear', handle: ({ runId, type }) => void heard.push(`${runId} ${type}`) }],
      inspect: {
        inspects: ({ runId }) => {
          inspected.push(runId);
          return () => undefined;
        },
      },
    });
    const { events, runId } = await handle.result;
    expect(inspected).toEqual([runId]);
    expect(new Set(heard.map((each) => each.split(' ')[0]))).toEqual(new Set([runId]));
    expect(heard.length).toBeLessThanOrEqual(events.length);
  });

  test('is one of the state at the start, which other forks of the run do not have', async () => {
    const { store } = await stored();
    const state = { total: 7, seen: ['before'] };
    const handle = await fork(player(), 'r', { store, at: { step: 0 }, change: { state } });
    const { state: last, runId } = await handle.result;
    expect(last.seen[0]).toBe('before');
    expect(last.total).toBe(10);
    expect((await recordsIn(store, runId)).began.fork?.changed?.type).toBe('agent.prepared');
    const plain = await fork(player(), 'r', { store, at: { step: 0 } });
    expect((await plain.result).output).toBe('12');
  });

  test('continues a run that was over by its state', async () => {
    const { store } = await stored();
    const handle = await fork(player(), 'r', { store, change: { state: { total: -3, seen: [] } } });
    expect((await handle.result).status).toBe('completed');
    const { events } = await replay(player(), handle.runId, { store });
    const steps = events.filter(({ type }) => type === 'step.ended').length;
    // The answer of the last step stands: a state is what a step ends with, not what it answers.
    expect(steps).toBe(5);
  });

  test('may be made at any event of the agent: each replays, and has the state after the step before', async () => {
    const { store, played } = await stored();
    for (const { seq, path } of played.events) {
      if (path !== 'player') continue;
      const state = { total: 20, seen: [`at ${seq}`] };
      const handle = await fork(player(), 'r', { store, at: { seq }, change: { state } });
      const { events, state: last } = await handle.result;
      expect(last.seen).toContain(`at ${seq}`);
      expect((await replay(player(), handle.runId, { store })).events).toEqual(events);
    }
  });

  test('refuses a state that is not that of the agent, with the place and what was found', async () => {
    const { store } = await stored();
    const forkWith = (state: unknown, at: ForkOptions['at'] = { step: 2 }): Promise<string> =>
      // As the command line and the page give it: anything.
      refused(fork(player(), 'r', { store, at, change: { state } as ForkOptions<never>['change'] }));
    expect(await forkWith({ total: 1 })).toContain("it lacks 'seen': give total, seen");
    expect(await forkWith({ total: '1', seen: [] })).toContain(
      'state.total has to be a number: found a text',
    );
    expect(await forkWith([])).toContain('state has to be an object: found a list');
    expect(await forkWith(null)).toContain('state has to be an object: found null');
    expect(await forkWith({ total: 1, seen: [new Date()] })).toContain('state.seen[0] is a Date');
    expect(await forkWith({ total: Number.NaN, seen: [] })).toContain('state.total is NaN');
    expect(store.entries.size).toBe(1);
  });

  test('refuses another event beside it, and a point without an agent', async () => {
    const { store } = await stored();
    const state = { total: 1, seen: [] };
    const both = fork(player(), 'r', { store, at: { seq: 5 }, change: { state, text: 'x' } });
    expect(await refused(both)).toContain('change one of them');
    const team = pipeline({ name: 'team', stages: [player()] });
    await team.run('Play.', { store, runId: 't' });
    const root = fork(team, 't', { store, change: { state: {} as never } });
    expect(await refused(root)).toContain("'team' has none there: it is a team");
  });
});

describe('the changed state of a member of a team', () => {
  const team = () => pipeline({ name: 'team', stages: [player('first'), player('second')] });

  test('is that of the one member, at the start and after a step', async () => {
    const store = new PlainStore();
    const { events } = await team().run('Play.', { store, runId: 't' });
    const at = (type: string, step?: number): number =>
      events.find(
        (each) => each.agent === 'second' && each.type === type && (step === undefined || each.step === step),
      )?.seq ?? -1;
    const state = { total: 9, seen: ['given'] };
    for (const seq of [at('agent.prepared'), at('agent.reduced', 1)]) {
      const options = { store, at: { seq }, change: { state: state as never } };
      const handle = await fork(team(), 't', options);
      const { output, events: all } = await handle.result;
      expect(output).toBe('12');
      const places = all.flatMap((each) => (each.type === 'agent.reduced' ? [each.agent] : []));
      expect(places.filter((name) => name === 'first')).toHaveLength(5);
      expect((await replay(team(), handle.runId, { store })).events).toEqual(all);
    }
  });

  test('is refused at the start where another has its name', async () => {
    const store = new PlainStore();
    const twins = () => pipeline({ name: 'team', stages: [player(), player()] });
    const { events } = await twins().run('Play.', { store, runId: 't' });
    const [path = ''] = events.flatMap((each) => (each.type === 'agent.prepared' ? [each.path] : []));
    const seq = events.find((each) => each.path === path && each.type === 'agent.prepared')?.seq ?? -1;
    const change = { state: { total: 1, seen: [] } as never };
    expect(await refused(fork(twins(), 't', { store, at: { seq }, change }))).toContain('has the name of');
  });
});

test('of members that work at once, it is that of the one member: the others keep theirs', async () => {
  const store = new PlainStore();
  const table = () =>
    parallel({ name: 'table', members: { ann: player('ann'), ben: player('ben'), cleo: player('cleo') } });
  const { events } = await table().run('Play.', { store, runId: 't' });
  const state = { total: 9, seen: ['given'] };
  for (const name of ['ann', 'ben', 'cleo'])
    for (const step of [0, 2, 3]) {
      const found = events.find(
        (each) => each.type === 'agent.reduced' && each.agent === name && each.step === step,
      );
      const options = { store, at: { seq: found?.seq ?? -1 }, change: { state: state as never } };
      const handle = await fork(table(), 't', options);
      const { events: all } = await handle.result;
      const rolled = (who: string): number =>
        all.filter((each) => each.type === 'agent.reduced' && each.agent === who).length;
      // One more roll and the answer, after the step that was changed.
      expect(['ann', 'ben', 'cleo'].map(rolled)).toEqual(
        ['ann', 'ben', 'cleo'].map((who) => (who === name ? step + 3 : 5)),
      );
      expect((await replay(table(), handle.runId, { store })).events).toEqual(all);
    }
});

test('its critics are asked again, and see it; what they change of it stays theirs', async () => {
  const store = new PlainStore();
  const seen: Json[] = [];
  const watched = () =>
    agent({
      name: 'watched',
      tools: [roll],
      state: { total: 0, checked: 0 },
      decide: ({ state }) =>
        state.total < 10 ? act({ name: 'roll', input: { sides: 3 } }) : answer(JSON.stringify(state)),
      reduce: ({ state, results }) => ({ ...state, total: state.total + 3 * results.length }),
      critics: [
        {
          name: 'counter',
          each: 'step',
          critique: ({ state }) => {
            seen.push(state);
            return { verdict: 'accept', patch: { state: { checked: (state as { total: number }).total } } };
          },
        },
      ],
    });
  await watched().run('Play.', { store, runId: 'r' });
  seen.length = 0;
  const change = { state: { total: 9, checked: 1 } };
  const handle = await fork(watched(), 'r', { store, at: { step: 2 }, change });
  const { state, events } = await handle.result;
  expect(seen[0]).toEqual({ total: 9, checked: 1 });
  expect(state).toEqual({ total: 12, checked: 12 });
  expect((await replay(watched(), handle.runId, { store })).events).toEqual(events);
});

test('where a refusal of the model ended the run before its rules were asked, the step is made again with it', async () => {
  const store = new PlainStore();
  const told = (text: string) => ({ finish: 'refusal' as const, text });
  const clerk = (model: ReturnType<typeof scriptedModel>) =>
    agent({
      name: 'clerk',
      model,
      tools: [roll],
      state: { rolled: 0 },
      reduce: ({ state, results }) => ({ rolled: state.rolled + results.length }),
    });
  const refusing = scriptedModel([calls({ name: 'roll', input: { sides: 3 } }), told('I will not.')]);
  const first = await clerk(refusing).run('Play.', { store, runId: 'r' });
  expect(first.stopReason.kind).toBe('refused');
  const handle = await fork(clerk(scriptedModel(['Done.'])), 'r', {
    store,
    change: { state: { rolled: 7 } },
  });
  const { output, state } = await handle.result;
  expect({ output, state }).toEqual({ output: 'Done.', state: { rolled: 7 } });
});

test('a call that waited for a person is asked for again, and sees it', async () => {
  const store = new PlainStore();
  const spend = tool({
    name: 'spend',
    description: 'Spends.',
    input: z.object({}),
    approval: true,
    execute: (_, { state }) => JSON.stringify(state),
  });
  const buyer = () =>
    agent({
      name: 'buyer',
      tools: [roll, spend],
      state: { budget: 1, bought: '' },
      decide: ({ step, state }) =>
        step === 0
          ? act({ name: 'roll', input: { sides: 3 } })
          : step === 1
            ? act({ name: 'spend', input: {} })
            : answer(state.bought),
      reduce: ({ state, results }) => ({ ...state, bought: results[0]?.text ?? state.bought }),
    });
  const left = buyer().stream('Buy.', { store, runId: 'r' });
  const { seq } = await firstValueFrom(
    left.events$.pipe(filter((event) => event.type === 'tool.approval-requested')),
  );
  left.abort('left');
  await left.result;
  const change = { state: { budget: 5, bought: 'nothing' } };
  const handle = await fork(buyer(), 'r', { store, at: { seq }, change });
  await firstValueFrom(handle.events$.pipe(filter(({ type }) => type === 'tool.approval-requested')));
  handle.approve(handle.requests[0]?.id ?? '');
  expect((await handle.result).output).toBe('{"budget":5,"bought":"nothing"}');
});

/** A run that waits for a word between two steps, so that it can be left there. */
const keeper = () =>
  agent({
    name: 'keeper',
    state: { kept: null as Json },
    decide: ({ step, state }) =>
      step < 2 ? act({ name: 'note', input: {} }) : answer(JSON.stringify(state.kept)),
    tools: [tool({ name: 'note', description: 'Notes.', input: z.object({}), execute: () => 'noted' })],
    reduce: ({ state }) => state,
  });

test('whatever state is given comes out the same: stored, left and resumed, replayed, and in a fork of the fork', async () => {
  const store = new PlainStore();
  await keeper().run('Keep.', { store, runId: 'r' });
  let count = 0;
  const value = fc.json().map((text): Json => {
    // What JSON reads back, but for keys that no state may have.
    const json = JSON.parse(text) as Json;
    return /"(?:__proto__|constructor|prototype)"/.test(text) || text.includes('-0') ? null : json;
  });
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(0, 1, 2), async (kept, step) => {
      count += 1;
      const state = { kept };
      const runId = `fork-${count}`;
      const handle = await fork(keeper(), 'r', { store, runId, at: { step }, change: { state } });
      const { events, state: last, output } = await handle.result;
      expect(last).toEqual(state);
      expect(JSON.parse(output ?? '')).toEqual(kept);
      const replayed = await replay(keeper(), runId, { store });
      expect(replayed.events).toEqual(events);
      expect((await replay(keeper(), runId, { store, to: { seq: events.length - 1 } })).events).toEqual(
        events.slice(0, -1),
      );
      const second = await fork(keeper(), runId, { store, runId: `${runId}-again`, at: { step: 2 } });
      expect((await second.result).state).toEqual(state);
      // Cut off after each row, and resumed.
      const rows = store.rows.get(runId) ?? [];
      for (let cut = 2; cut < rows.length; cut += Math.max(1, Math.floor(rows.length / 4))) {
        const left = new PlainStore();
        const entry = store.entries.get(runId);
        if (entry === undefined) throw new Error('the fork is not stored');
        left.entries.set(runId, { ...entry, status: 'running' });
        left.rows.set(runId, rows.slice(0, cut));
        const resumed = await resume(keeper(), runId, { store: left });
        expect((await resumed.result).state).toEqual(state);
      }
    }),
    { numRuns: 40 },
  );
});
