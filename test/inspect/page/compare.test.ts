import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { alignTexts, MOST_TEXTS } from '../../../src/inspect/page/compare/aligned-texts.ts';
import { othersOf, turnChoice } from '../../../src/inspect/page/compare/chosen-runs.ts';
import { ComparedPair } from '../../../src/inspect/page/compare/compared-pair.ts';
import { differingFields } from '../../../src/inspect/page/compare/differing-fields.ts';
import type { FigureRow } from '../../../src/inspect/page/compare/figure-rows.ts';
import { figureRows } from '../../../src/inspect/page/compare/figure-rows.ts';
import { RunEvents } from '../../../src/inspect/page/compare/run-events.ts';
import type { RunRow } from '../../../src/inspect/page/session.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { sqliteStore } from '../../../src/persistence/sqlite/sqlite-store.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { compare } from '../../../src/runtime/journal/replay/compare.ts';
import type { Side } from '../../../src/runtime/journal/replay/compared-runs.ts';
import { ComparedRuns } from '../../../src/runtime/journal/replay/compared-runs.ts';
import { fork } from '../../../src/runtime/journal/resume/fork.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { play } from '../../cli/fake-terminal.ts';

const look = tool({
  name: 'look',
  description: 'Looks something up.',
  input: z.object({ what: z.string() }),
  execute: ({ what }) => `${what} is there`,
});

const script = (second: string) =>
  scriptedModel([
    calls({ name: 'look', input: { what: 'tea' } }),
    calls({ name: 'look', input: { what: second } }),
    `Tea with ${second}.`,
  ]);

const clerk = (second = 'milk') => agent({ name: 'clerk', tools: [look], model: script(second) });

/** A run and a fork of it that calls something else, as a store, a recording and a command have them. */
const forked = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-compare-'));
  const file = join(folder, 'runs.sqlite');
  const store = sqliteStore(file);
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const record = recorder();
  const left = await clerk().run('What is there?', { store, runId: 'one', inspect: record });
  const model = scriptedModel([calls({ name: 'look', input: { what: 'lemon' } }), 'Tea with lemon.']);
  const handle = await fork(clerk(), 'one', {
    store,
    runId: 'other',
    at: { step: 1 },
    change: { model },
    inspect: record,
  });
  const right = await handle.result;
  const entries = [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
  return { folder, file, left, right, entries };
};

const pairOf = (entries: readonly Entry[], left = 'one', right = 'other'): ComparedPair => {
  const pair = new ComparedPair({ left, right });
  for (const entry of entries) for (const side of ['left', 'right'] as const) pair.take(side, entry);
  return pair;
};

const plainOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('two runs side by side', () => {
  test('of a page are compared as by the command: the same is said of a run and its fork', async () => {
    const { folder, file, left, right, entries } = await forked();
    const { comparison } = pairOf(entries);
    const played = await play(['compare', 'one', 'other', '--store', file, '--json'], { folder });
    expect({ ...played, stdout: '' }).toEqual({ code: 1, stdout: '', stderr: '' });
    expect(plainOf(comparison)).toEqual(JSON.parse(played.stdout));
    expect(plainOf(comparison)).toEqual(plainOf(compare(left, right)));
    expect(comparison.parted).toMatchObject({ path: 'clerk', step: 1, phase: 'DECIDE' });
    expect(pairOf(entries, 'one', 'one').comparison).toMatchObject({
      isSame: true,
      shared: left.events.filter(({ type }) => type !== 'phase.entered').length,
    });
  });

  test('part at an event whose place in the recording is known', async () => {
    const { entries } = await forked();
    const pair = pairOf(entries);
    for (const side of ['left', 'right'] as const) {
      const event = pair.comparison.parted?.[side];
      const place = event === undefined ? undefined : pair.sides[side].placeOf(event);
      expect(entries[place ?? -1]).toMatchObject({
        kind: 'published',
        event: { seq: event?.seq, runId: event?.runId },
      });
    }
  });

  test('are told apart by the fields of that event, but for times and ids', async () => {
    const { entries } = await forked();
    const { left, right } = pairOf(entries).comparison.parted ?? {};
    if (left === undefined || right === undefined) throw new Error('Both sides have an event there');
    const names = differingFields(left, right).map(({ name }) => name);
    expect(names).not.toEqual([]);
    for (const incidental of ['at', 'seq', 'runId', 'key']) expect(names).not.toContain(incidental);
    expect(differingFields(left, { ...left, at: 0, seq: 9_999 })).toEqual([]);
  });
});

/** Events that count how often they are read. */
const counted = (events: readonly RuntimeEvent[]) => {
  const reads = { count: 0 };
  const toJSON = (event: RuntimeEvent) => () => {
    reads.count += 1;
    return event;
  };
  return { reads, events: events.map((event) => ({ ...event, toJSON: toJSON(event) })) };
};

describe('runs that grow while they are compared', () => {
  test('have each event read once, although the comparison is asked for after each', async () => {
    const { left, right } = await forked();
    const [one, other] = [counted(left.events), counted(right.events)];
    const compared = new ComparedRuns();
    const most = Math.max(one.events.length, other.events.length);
    for (let n = 0; n < most; n += 1)
      for (const [side, event] of [
        ['left', one.events[n]],
        ['right', other.events[n]],
      ] as const) {
        if (event !== undefined) compared.take(side, event);
        expect(compared.comparison.shared).toBeLessThanOrEqual(n + 1);
      }
    expect(one.reads.count).toBeLessThanOrEqual(one.events.length);
    expect(other.reads.count).toBeLessThanOrEqual(other.events.length);
    expect(one.reads.count).toBe(compared.comparison.shared + 1);
  });

  test('compare as the whole runs do, in whatever order their events come', async () => {
    const { left, right } = await forked();
    const whole = compare(left, right);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 200 }), (turns) => {
        const queues: Record<Side, RuntimeEvent[]> = { left: [...left.events], right: [...right.events] };
        const compared = new ComparedRuns();
        const next = (side: Side): void => {
          const event = queues[side].shift();
          if (event !== undefined) compared.take(side, event);
        };
        for (const turn of turns) next(turn ? 'left' : 'right');
        while (queues.right.length > 0) next('right');
        while (queues.left.length > 0) next('left');
        expect(compared.comparison).toEqual(whole);
      }),
    );
  });

  test('are compared anew only for entries of theirs that are events', async () => {
    const { entries } = await forked();
    const pair = new ComparedPair({ left: 'one', right: 'other' });
    let made = 0;
    let known = pair.comparison;
    for (const entry of entries) {
      for (const side of ['left', 'right'] as const) pair.take(side, entry);
      if (pair.comparison !== known) made += 1;
      known = pair.comparison;
      expect(pair.comparison).toBe(known);
    }
    expect(made).toBe(pair.sides.left.all.length + pair.sides.right.all.length);
  });

  test('whose recording is sent from the start are compared from the start', async () => {
    const { entries } = await forked();
    const pair = pairOf(entries);
    const before = pair.comparison;
    pair.restart('right');
    expect(pair.comparison).toMatchObject({ isSame: false, shared: 0 });
    for (const entry of entries) pair.take('right', entry);
    expect(pair.comparison).toEqual(before);
  });
});

const published = (event: object, n = 0): Entry =>
  ({
    kind: 'published',
    n,
    at: 0,
    actor: 'r/clerk',
    event: { runId: 'r', path: 'clerk', ...event },
  }) as Entry;

describe('the events of a run', () => {
  test('count once where it was resumed, and go on in place of the end by which it was suspended', () => {
    const events = new RunEvents('r');
    const suspended = { type: 'run.ended', seq: 2, error: { code: 'run.suspended' } };
    const became = [
      { type: 'run.started', seq: 0 },
      { type: 'run.paused', seq: 1 },
      suspended,
      { type: 'run.started', seq: 0 },
      { type: 'run.paused', seq: 1 },
      { type: 'run.resumed', seq: 2 },
      { type: 'run.ended', seq: 3 },
    ].map((event, n) => events.take(published(event, n)));
    expect(became).toEqual(['added', 'added', 'added', 'ignored', 'ignored', 'replaced', 'added']);
    expect(events.all.map(({ type }) => type)).toEqual([
      'run.started',
      'run.paused',
      'run.resumed',
      'run.ended',
    ]);
    expect(events.missing).toBe(0);
  });

  test('are not those of another run or too large, and their number before the recording begins is known', () => {
    const events = new RunEvents('r');
    expect(events.take(published({ runId: 's', type: 'run.started', seq: 0 }))).toBe('ignored');
    expect(events.take(published({ type: 'tool.finished', cut: '{"type":"tool.f' }))).toBe('ignored');
    expect(events.take(published({ type: 'run.paused', seq: 7 }))).toBe('added');
    expect(events.missing).toBe(7);
    expect(events.tooLarge).toBe(1);
  });
});

describe('the figures of two runs', () => {
  test('say the difference by signs and words', async () => {
    const { left, right } = await forked();
    const events = (all: readonly RuntimeEvent[]) => ({ all, last: all.at(-1), end: undefined });
    const { totals } = compare(left, right);
    const rows = figureRows({
      left: { totals: { ...totals.left, costUsd: 0.0061, toolCalls: 1 }, events: events([]) },
      right: { totals: { ...totals.right, costUsd: 0.002, toolCalls: 3 }, events: events([]) },
    });
    const row = (name: string): FigureRow | undefined => rows.find((each) => each.name === name);
    expect(row('Input')).toMatchObject({ left: 'What is there?', change: 'same' });
    expect(row('Output')).toMatchObject({ right: 'Tea with lemon.', change: 'differs' });
    expect(row('Status')).toMatchObject({ left: 'not ended yet', change: 'same' });
    expect(row('Duration')).toMatchObject({ left: 'unknown', change: 'same' });
    expect(row('Tool calls')?.change).toBe('+2 tool calls');
    expect(row('Cost')?.change).toBe('−$0.00410');
  });

  test('of sums that are added up in another order are the same, and of an unknown price unknown', async () => {
    const { left } = await forked();
    const { totals } = compare(left, left);
    const cost = (one: number | undefined, other: number | undefined) => {
      const side = (costUsd: number | undefined) => ({
        totals: { ...totals.left, costUsd },
        events: { all: left.events, last: left.events.at(-1), end: undefined },
      });
      return figureRows({ left: side(one), right: side(other) }).find(({ name }) => name === 'Cost')?.change;
    };
    expect(cost(0.1 + 0.2, 0.3)).toBe('same');
    expect(cost(undefined, 0.3)).toBe('unknown');
  });
});

describe('two lists beside each other', () => {
  const list = fc.array(fc.constantFrom('look', 'pay', 'ask'), { maxLength: 30 });

  test('have all of both, each in its order, and as equal what is', () => {
    fc.assert(
      fc.property(list, list, (left, right) => {
        const { parts, same } = alignTexts(left, right);
        const of = (side: Side) => parts.flatMap((part) => [...part.both, ...part[side]]);
        expect(of('left')).toEqual(left);
        expect(of('right')).toEqual(right);
        expect(same).toBe(parts.reduce((sum, { both }) => sum + both.length, 0));
      }),
    );
    expect(alignTexts(['a', 'b', 'c'], ['a', 'x', 'c'])).toMatchObject({
      same: 2,
      parts: [
        { both: ['a'], left: [], right: [] },
        { both: [], left: ['b'], right: ['x'] },
        { both: ['c'], left: [], right: [] },
      ],
    });
  });

  test('that are long are aligned at their beginning, and the number of those left out is said', () => {
    const long = Array.from({ length: MOST_TEXTS + 5 }, (_, index) => `call ${index}`);
    const { parts, omitted } = alignTexts(long, ['call 0']);
    expect(omitted).toEqual({ left: 5, right: 0 });
    expect(parts.flatMap(({ both, left }) => [...both, ...left])).toHaveLength(MOST_TEXTS);
  });
});

describe('the choice of two runs', () => {
  const key = (run: string, isFile = false) => ({ run, isFile });

  test('gives up the older for a third, and a file is another run than that of its id', () => {
    const both = turnChoice(turnChoice([], key('a')), key('a', true));
    expect(both).toEqual([key('a'), key('a', true)]);
    expect(turnChoice(both, key('c'))).toEqual([key('a', true), key('c')]);
    expect(turnChoice(both, key('a'))).toEqual([key('a', true)]);
  });

  test('offers the others, those of the same agent first, then the newest', () => {
    const row = (
      run: string,
      name: string,
      startedAt: number,
      source: RunRow['source'] = 'live',
    ): RunRow => ({
      run,
      agent: name,
      startedAt,
      source,
      isLive: true,
    });
    const all = [
      row('a', 'x', 1),
      row('b', 'y', 5),
      row('c', 'x', 2),
      row('d', 'x', 3),
      row('a', 'x', 1, 'file'),
    ];
    expect(othersOf(all, row('a', 'x', 1)).map(({ run, source }) => `${source} ${run}`)).toEqual([
      'live d',
      'live c',
      'file a',
      'live b',
    ]);
  });
});
