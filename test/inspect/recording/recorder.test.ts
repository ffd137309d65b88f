import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { LiveEvent } from '../../../src/contracts/events/event.ts';
import { act, answer } from '../../../src/contracts/agents/decision.ts';
import type { Entry, StateShape } from '../../../src/inspect/recording/entry.ts';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { replay } from '../../../src/index.ts';
import { recordsIn } from '../../../src/runtime/journal/resume/stored-run.ts';
import { pipeline } from '../../../src/patterns/index.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { allScenarios } from '../../parity/all-scenarios.ts';
import type { Scenario } from '../../parity/scenarios.ts';
import { PlainStore } from '../../support/plain-store.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { sampled } from '../../support/thorough.ts';

const entriesOf = ({ recording }: Recorder): readonly Entry[] =>
  // The recording wrote them.
  [...recording.from()].map((line) => JSON.parse(line) as Entry);

const play = async (scenario: Scenario, inspect: Recorder) => {
  const clock = virtualClock(1_000);
  const { agent: played, options, play: meanwhile } = scenario.make(clock);
  const handle = start(played, 'go', { runId: 'seen', clock, ...options, inspect });
  const result = settled(handle);
  await meanwhile?.(handle, clock);
  return letTimePass(clock, result, 500);
};

const statesIn = (shape: StateShape): readonly StateShape[] => [shape, ...shape.states.flatMap(statesIn)];

const add = tool({
  name: 'add',
  description: 'Adds one.',
  input: z.object({ to: z.number() }),
  execute: ({ to }) => to + 1,
});

const clerk = () =>
  agent({
    name: 'clerk',
    tools: [add],
    decide: ({ step }) => (step < 2 ? act({ name: 'add', input: { to: step } }) : answer('done')),
  });

const house = () =>
  pipeline({ name: 'house', stages: [clerk(), agent({ name: 'last', decide: () => answer('out') })] });

/** Who moved how, in order, without what was told. */
const moves = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) =>
    entry.kind === 'moved'
      ? [`${entry.actor} ${entry.on} ${entry.arrows.join()} → ${entry.states.join()}`]
      : [],
  );

/** What is wrong with an entry where all those before it came to that tableau. */
const wrongWith = (entry: Entry, { charts, actors }: Tableau): readonly string[] => {
  if (entry.kind === 'chart') return charts.has(entry.chart) ? [`${entry.chart} again`] : [];
  if (entry.kind === 'actor') {
    const { actor, parent, chart } = entry;
    return [
      ...(actors.has(actor) ? [`${actor} again`] : []),
      ...(parent === undefined || actors.has(parent) ? [] : [`${actor} before ${parent}`]),
      ...(chart === undefined || charts.has(chart) ? [] : [`${actor} before its chart`]),
    ];
  }
  const view = actors.get(entry.actor);
  if (view === undefined) return [`${entry.actor} is not there`];
  if (entry.kind === 'gone') return view.status === 'active' ? [] : [`${entry.actor} went twice`];
  const chart = charts.get(view.chart ?? '');
  if (entry.kind !== 'moved' || chart === undefined) return [];
  const states = statesIn(chart);
  const ids = new Set(states.map(({ id }) => id));
  const arrows = new Set(states.flatMap(({ arrows: of }) => of.map(({ id }) => id)));
  return [
    ...entry.states.filter((id) => !ids.has(id)),
    ...entry.arrows.filter((id) => !arrows.has(id)),
    ...(entry.states.length === 0 ? [`${entry.actor} is nowhere`] : []),
  ];
};

describe.each(sampled(allScenarios, 6, 2))('the recording of a run: $name', (scenario) => {
  test('tells of everybody before anything of them, moves them along arrows of their charts, and lets all of them go', async () => {
    const record = recorder();
    const result = await play(scenario, record);
    const entries = entriesOf(record);
    expect(
      result.events.filter((event) => event.type === 'observer.failed' && event.observer === 'inspector'),
    ).toEqual([]);
    const tableau = new Tableau();
    for (const entry of entries) {
      expect(wrongWith(entry, tableau)).toEqual([]);
      tableau.apply(entry);
    }
    expect([...tableau.actors.values()].filter(({ status }) => status === 'active')).toEqual([]);
    // What models were sent, and gave, is in a recording alone.
    const told = entries.flatMap((entry) => (entry.kind === 'published' ? [logged(entry.event)] : []));
    const bySeq = (one: LiveEvent, other: LiveEvent): number =>
      'seq' in one && 'seq' in other ? one.seq - other.seq : 0;
    expect(told.toSorted(bySeq)).toEqual(
      JSON.parse(JSON.stringify(result.events.filter(({ type }) => type !== 'phase.entered'))),
    );
  });
});

/** An event as the log of its run has it. */
const logged = (event: LiveEvent): LiveEvent => {
  if (event.type === 'model.asked') {
    const { request: _request, ...rest } = event;
    return rest;
  }
  if (event.type !== 'model.answered') return event;
  const { raw: _raw, ...rest } = event;
  return rest;
};

describe('a recording', () => {
  test('shows the arrows that are taken at once, too', async () => {
    const record = recorder();
    await clerk().run('go', { inspect: record });
    const taken = entriesOf(record).flatMap((entry) => (entry.kind === 'moved' ? entry.arrows : []));
    expect(taken).toContain('agent.running.CHECK_STOP: always #0 [isAnswered]');
    expect(taken.filter((arrow) => arrow.startsWith('agent.running.CHECK_STOP: always'))).toHaveLength(3);
  });

  test('of a run is the same where it is stored, and where it is gone through again, as far as that goes', async () => {
    const live = recorder();
    await house().run('go', { inspect: live, runId: 'r' });
    const store = new PlainStore();
    const stored = recorder();
    await house().run('go', { inspect: stored, runId: 'r', store });
    expect(moves(entriesOf(stored))).toEqual(moves(entriesOf(live)));
    const again = recorder();
    await replay(house(), 'r', { store, inspect: again });
    expect(moves(entriesOf(again))).toEqual(moves(entriesOf(live)));
    expect(again.handles.size).toBe(0);
    const { records } = await recordsIn(store, 'r');
    const events = records.filter(({ kind }) => kind === 'event').length;
    for (const seq of [1, 5, 12, 23, events - 2]) {
      const part = recorder();
      await replay(house(), 'r', { store, inspect: part, to: { seq } });
      const found = moves(entriesOf(part));
      expect(found).toEqual(moves(entriesOf(live)).slice(0, found.length));
      expect(entriesOf(part).filter(({ kind }) => kind === 'published').length).toBeGreaterThan(0);
    }
  });

  test('is what its base and the entries that are kept come to, however few are kept', async () => {
    const whole = recorder();
    await house().run('go', { inspect: whole, runId: 'r', clock: virtualClock(0) });
    const all = new Tableau();
    for (const entry of entriesOf(whole)) all.apply(entry);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), async (capacity) => {
        const some = recorder({ capacity });
        await house().run('go', { inspect: some, runId: 'r', clock: virtualClock(0) });
        expect(some.recording.length).toBe(whole.recording.length);
        expect(some.recording.length - some.recording.first).toBeLessThan(2 * capacity);
        const tableau = Tableau.from(JSON.parse(some.recording.base()));
        for (const entry of entriesOf(some)) tableau.apply(entry);
        expect(JSON.parse(JSON.stringify(tableau))).toEqual(JSON.parse(JSON.stringify(all)));
      }),
      { numRuns: 20 },
    );
  });

  test('of several runs tells of each chart once, and of whom an event is', async () => {
    const record = recorder();
    await Promise.all([
      clerk().run('a', { inspect: record, runId: 'a' }),
      house().run('b', { inspect: record, runId: 'b' }),
    ]);
    const entries = entriesOf(record);
    const charts = entries.flatMap((entry) => (entry.kind === 'chart' ? [entry.chart] : []));
    expect(charts.toSorted()).toEqual(['agent', 'pipeline', 'tool']);
    const runs = new Set(entries.flatMap((entry) => (entry.kind === 'actor' ? [entry.run] : [])));
    expect([...runs].toSorted()).toEqual(['a', 'b']);
  });

  test('has no secret in it: not in inputs, contexts, answers or what is below a base', async () => {
    const secret = 'sk-veryverysecret';
    const record = recorder({ capacity: 3, secrets: { API_KEY: secret } });
    const lines: string[] = [];
    record.recording.follow({ entry: (line) => lines.push(line) });
    const teller = agent({ name: 'teller', decide: () => answer(`it is ${secret}`) });
    await teller.run(`tell ${secret}`, { inspect: record });
    const shown = [...lines, ...record.recording.from(), record.recording.base()].join('\n');
    expect(shown).toContain('[redacted API_KEY]');
    expect(shown).not.toContain(secret);
  });

  test('leaves out a follower that throws, and the run knows nothing of it', async () => {
    const record = recorder();
    let heard = 0;
    record.recording.follow({
      entry: () => {
        heard += 1;
        throw new Error('no more');
      },
    });
    const { status, events } = await clerk().run('go', { inspect: record });
    expect(status).toBe('completed');
    expect(events.filter(({ type }) => type === 'observer.failed')).toEqual([]);
    expect(heard).toBe(1);
    expect(record.failures).toMatchObject([{ message: 'no more' }]);
  });

  test('hears what a model says while it says it, and keeps none of that', async () => {
    const record = recorder();
    const deltas: string[] = [];
    record.recording.follow({ entry: () => undefined, delta: (line) => deltas.push(line) });
    await agent({ name: 'teller', model: scriptedModel(['a word and another']) }).run('go', {
      inspect: record,
    });
    expect(deltas.length).toBeGreaterThan(0);
    expect([...record.recording.from()].filter((line) => line.includes('model.delta'))).toEqual([]);
  });

  test('says of whom how he ended: by the state in which he did', async () => {
    const record = recorder();
    const failing = agent({
      name: 'failing',
      model: scriptedModel([]),
      failures: { retry: { attempts: 1 } },
    });
    await failing.run('go', { inspect: record }).catch(() => undefined);
    const aborted = clerk().stream('go', { inspect: record, paused: true });
    aborted.abort('enough');
    await aborted.result;
    await clerk().run('go', { inspect: record });
    const ends = entriesOf(record).flatMap((entry) =>
      entry.kind === 'gone' && !entry.actor.includes('#') ? [entry.status] : [],
    );
    expect(ends).toEqual(['failed', 'stopped', 'done']);
  });

  test('holds the handles of runs under way, and of no others', async () => {
    const record = recorder();
    const handle = clerk().stream('go', { inspect: record, runId: 'r', paused: true });
    expect([...record.handles.keys()]).toEqual(['r']);
    record.handles.get('r')?.resume();
    await handle.result;
    await Promise.resolve();
    expect([...record.handles.keys()]).toEqual([]);
  });
});

describe('effects are actors below their agent', () => {
  const effectsOf = (entries: readonly Entry[]) => {
    const tableau = new Tableau();
    for (const entry of entries) tableau.apply(entry);
    const seen = (actor: string): readonly string[] =>
      entries.flatMap((entry) =>
        entry.kind === 'moved' && entry.actor === actor
          ? entry.states.map((id) => id.split('.').at(-1) ?? id)
          : [],
      );
    return [...tableau.actors.values()]
      .filter(({ role }) => ['model', 'tool', 'person', 'wait'].includes(role))
      .map(({ actor, role, name, parent, status }) => ({ role, name, parent, status, states: seen(actor) }));
  };

  test('a model call, a tool call that a person approves, and the approval', async () => {
    const record = recorder();
    const pay = tool({
      name: 'pay',
      description: 'Pays.',
      input: z.object({}),
      approval: true,
      execute: () => 'paid',
    });
    const payer = agent({
      name: 'payer',
      tools: [pay],
      model: scriptedModel([calls({ name: 'pay', input: {} }), 'done']),
    });
    await payer.run('go', { inspect: record, runId: 'r', person: { approve: () => true } });
    expect(effectsOf(entriesOf(record))).toMatchObject([
      { role: 'model', parent: 'r/payer', status: 'done', states: ['asked', 'answered'] },
      {
        role: 'tool',
        name: 'pay',
        parent: 'r/payer',
        status: 'done',
        states: ['proposed', 'asked', 'queued', 'running', 'finished'],
      },
      { role: 'person', name: 'whether pay', status: 'done', states: ['asked', 'approved'] },
      { role: 'model', status: 'done', states: ['asked', 'answered'] },
    ]);
  });

  test('one that is under way when its run is aborted is stopped with it', async () => {
    const record = recorder();
    const wait = tool({
      name: 'wait',
      description: 'Never comes back.',
      input: z.object({}),
      execute: () => new Promise<string>(() => undefined),
    });
    const waiter = agent({ name: 'waiter', tools: [wait], decide: () => act({ name: 'wait', input: {} }) });
    const handle = waiter.stream('go', { inspect: record, runId: 'r', clock: virtualClock(0) });
    await new Promise<void>((resolve) => {
      handle.events$.subscribe(({ type }) => {
        if (type === 'tool.started') resolve();
      });
    });
    handle.abort('enough');
    await handle.result;
    expect(effectsOf(entriesOf(record))).toMatchObject([{ role: 'tool', name: 'wait' }]);
    expect(effectsOf(entriesOf(record))[0]?.status).not.toBe('active');
  });
});
