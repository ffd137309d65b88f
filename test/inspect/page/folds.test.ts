import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import type { ErrorData } from '../../../src/contracts/errors/error-data.ts';
import { Folds } from '../../../src/inspect/page/folds/folds.ts';
import type { Problem } from '../../../src/inspect/page/folds/problems.ts';
import { markerOf } from '../../../src/inspect/page/markers.ts';
import { toneAt } from '../../../src/inspect/page/folds/problems.ts';
import { totalsOf } from '../../../src/inspect/page/folds/run-sums.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import { RunCounter } from '../../../src/runtime/actors/run-counter.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { desk } from '../telemetry/telemetry-kit.ts';
import { z } from 'zod';
import { newsroom } from './newsroom.ts';

type Published = Extract<Entry, { kind: 'published' }>;

const foldOf = (entries: Iterable<Entry>): Folds => {
  const folds = new Folds();
  for (const entry of entries) folds.take(entry);
  return folds;
};

const readEntries = (lines: Iterable<string>): readonly Entry[] =>
  [...lines].map((line) => JSON.parse(line) as Entry);

const publishedOf = (entries: readonly Entry[]): readonly Published[] =>
  entries.flatMap((entry) => (entry.kind === 'published' ? [entry] : []));

const search = tool({
  name: 'search',
  description: 'Searches.',
  input: z.object({ for: z.string() }),
  execute: ({ for: what }) => {
    throw new Error(`there is no ${what}`, { cause: new TypeError('the index is gone') });
  },
});

const seeker = (name: string) =>
  agent({
    name,
    tools: [search],
    model: scriptedModel([calls({ name: 'search', input: { for: 'ferry' } }), 'Nothing found.']),
  });

const recordedDesk = async (prices: boolean): Promise<readonly Entry[]> => {
  const record = recorder();
  const clock = virtualClock();
  const flat = { name: 'flat', cost: () => 0.001 };
  const options = { inspect: record, clock, runId: 'r', ...(prices ? { prices: flat } : {}) };
  await letTimePass(clock, settled(start(desk(clock), 'When?', options)), 10);
  return readEntries(record.recording.from());
};

const recordedNewsroom = async (): Promise<readonly Entry[]> => {
  const record = recorder();
  const run = newsroom().stream('What became of the ferry?', {
    inspect: record,
    runId: 'r',
    person: { approve: () => true },
  });
  await settled(run);
  return readEntries(record.recording.from());
};

const recordedSeekers = async (): Promise<readonly Entry[]> => {
  const record = recorder();
  const crowd = parallel({ name: 'crowd', members: { ann: seeker('ann'), bob: seeker('bob') } });
  await settled(crowd.stream('Find it.', { inspect: record, runId: 'r' }));
  return readEntries(record.recording.from());
};

const traced = (name: string) => async (): Promise<readonly Entry[]> => {
  const { events } = await readTrace(join(import.meta.dirname, '../../fixtures/logs', name));
  return readEntries(recordingOf(events).from());
};

const recorded = {
  'a team whose model has to be asked twice': () => recordedDesk(true),
  'a team without prices': () => recordedDesk(false),
  'a team with a tool that fails and a person who approves': recordedNewsroom,
  'members beside each other': recordedSeekers,
  'a trace of version 3': traced('trace-3.jsonl'),
  'a trace of 0.1': traced('trace-0-1'),
};

/** An event of a run, as an entry. */
const telling = () => {
  const entries: Published[] = [];
  const tell = (path: string, body: EventBody, seq = entries.length): void => {
    const event = { v: 1, seq, at: 10 * seq, runId: 'r', path, agent: path, ...body } as RuntimeEvent;
    entries.push({ n: entries.length, at: event.at, kind: 'published', actor: `r/${path}`, event });
  };
  return { entries, tell };
};

const broken = (message: string, more: Partial<ErrorData> = {}): ErrorData => ({
  code: 'model.unavailable',
  message,
  retryable: 'yes',
  ...more,
});

describe('the sums of a run', () => {
  test.each(Object.entries(recorded))(
    'are what the run itself counted, at its end: %s',
    async (_, entriesOf) => {
      const entries = await entriesOf();
      const folds = foldOf(entries);
      const end = publishedOf(entries).find(({ event }) => event.type === 'run.ended');
      if (end?.event.type !== 'run.ended') throw new Error('it did not end');
      const { durationMs, ...totals } = end.event.totals;
      // Counted from its events, before the run has said so itself.
      expect(folds.sumsAt(end.n)[0]).toMatchObject({ status: 'running', totals, isWhole: true });
      const [sums] = folds.sumsAt(end.n + 1);
      expect(sums?.status).toBe(end.event.status);
      expect(sums?.totals).toMatchObject(totals);
      expect((sums?.endedAt ?? 0) - (sums?.startedAt ?? 0)).toBe(durationMs);
    },
  );

  test('are at any place those of the events up to there', async () => {
    const entries = await recordedDesk(true);
    const folds = foldOf(entries);
    const events = publishedOf(entries);
    const last = events.at(-1)?.n ?? 0;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: last }), (length) => {
        const counter = new RunCounter();
        const before = events.filter(({ n }) => n < length);
        for (const { event } of before) if (event.type !== 'model.delta') counter.count(event);
        const found = folds.sumsAt(length);
        expect(found.map(({ totals }) => totals)).toEqual(before.length === 0 ? [] : [counter.totals]);
      }),
    );
  });

  test('count events once that a resumed run repeats, and go on after the end of a suspended one', () => {
    const { entries, tell } = telling();
    const asked = { type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 } as const;
    const totals = new RunCounter().totals;
    tell('a', { type: 'run.started', input: 'go' }, 0);
    tell('a', asked, 1);
    const error = broken('to be gone on with', { code: 'run.suspended' });
    const suspended = { status: 'failed', stopReason: { kind: 'failed' }, error } as const;
    tell('a', { type: 'run.ended', ...suspended, totals: { ...totals, durationMs: 0 } }, 2);
    const there = foldOf(entries);
    expect(there.sumsAt(3)[0]?.status).toBe('suspended');
    expect(there.problems.all).toEqual([]);
    tell('a', { type: 'run.started', input: 'go' }, 0);
    tell('a', asked, 1);
    tell('a', { type: 'run.resumed' }, 2);
    tell('a', { ...asked, key: 'l' }, 3);
    const [sums] = foldOf(entries).sumsAt(entries.length);
    expect(sums).toMatchObject({ status: 'running', totals: { modelCalls: 2 } });
  });

  test('say that they are not whole where the beginning is not there, until the run says so itself', () => {
    const { entries, tell } = telling();
    tell('a', { type: 'step.ended', record: {} as never }, 40);
    const totals = { ...new RunCounter().totals, steps: 9, durationMs: 5 };
    tell('a', { type: 'run.ended', status: 'completed', stopReason: { kind: 'answered' }, totals }, 41);
    const folds = foldOf(entries);
    expect(folds.sumsAt(1)[0]).toMatchObject({ isWhole: false, totals: { steps: 1 } });
    expect(folds.sumsAt(2)[0]).toMatchObject({ isWhole: true, totals: { steps: 9 } });
  });

  test('of several runs add up, and their cost is unknown as soon as that of one is', () => {
    const usage = { input: 5, output: 2 };
    const [one, other] = [new RunCounter(), new RunCounter()];
    one.charge('m', usage, 0.5);
    other.charge('n', usage, undefined);
    const sums = (counter: RunCounter) => ({
      agent: 'a',
      status: 'running' as const,
      startedAt: 0,
      endedAt: undefined,
      totals: counter.totals,
      isWhole: true,
    });
    expect(totalsOf([sums(one), sums(one)])).toMatchObject({ inputTokens: 10, costUsd: 1 });
    const mixed = totalsOf([sums(one), sums(other)]);
    expect(mixed).toMatchObject({ inputTokens: 10, outputTokens: 4, unpriced: ['n'] });
    expect(mixed.costUsd).toBeUndefined();
  });
});

const lineOf = ({ title, message, causes, occurrences }: Problem): string =>
  `${toneAt(occurrences[0] ?? never(), Infinity)}: ${title}: ${[message, ...causes].join(' < ')} x${occurrences.length}`;

const never = (): never => {
  throw new Error('it never occurred');
};

describe('the problems of a run', () => {
  test('are listed with their causes, equal ones once, wherever in the team they occurred', async () => {
    const entries = await recordedSeekers();
    const { problems } = foldOf(entries);
    expect(problems.all.map(lineOf)).toEqual([
      expect.stringMatching(
        /^error: search failed: .*there is no ferry.* < TypeError: the index is gone x2$/,
      ),
    ]);
    expect(problems.all[0]?.occurrences.map(({ path }) => path)).toEqual(['crowd/ann-1', 'crowd/bob-2']);
    expect(problems.countAt(entries.length)).toEqual({ error: 2, refusal: 0, stop: 0, setback: 0 });
    expect(problems.countAt(0).error).toBe(0);
  });

  test('count an error once that several events report, where it was reported first', () => {
    const { entries, tell } = telling();
    const error = broken('the service is down', { errorId: 'k1' });
    const failed = { status: 'failed', stopReason: { kind: 'failed' }, error } as const;
    const totals = { ...new RunCounter().totals, durationMs: 0 };
    tell('a', { type: 'run.started', input: 'go' });
    tell('a/b', { type: 'model.failed', model: 'm', key: 'k1', error });
    tell('a/b', { type: 'recovery.decided', error, decision: 'giveUp', streak: 1, limit: 3 });
    tell('a/b', { type: 'member.ended', member: 'b', ...failed });
    tell('a', { type: 'run.ended', ...failed, totals });
    const { problems } = foldOf(entries);
    expect(problems.all).toHaveLength(1);
    const [occurrence] = problems.all[0]?.occurrences ?? [];
    expect(occurrence).toMatchObject({ n: 1, path: 'a/b', actor: 'r/a/b' });
    expect(occurrence?.reports.map(({ type }) => type)).toEqual([
      'model.failed',
      'recovery.decided',
      'member.ended',
      'run.ended',
    ]);
    expect(problems.countAt(entries.length).error).toBe(1);
  });

  test('follow an error without an id up from the member to the run, but keep apart two that only sound alike', () => {
    const { entries, tell } = telling();
    const ends = { status: 'failed', stopReason: { kind: 'failed' }, error: broken('gone') } as const;
    tell('a', { type: 'run.started', input: 'go' });
    tell('a/b', { type: 'member.ended', member: 'b', ...ends });
    tell('a/c', { type: 'member.ended', member: 'c', ...ends });
    tell('a', { type: 'run.ended', ...ends, totals: { ...new RunCounter().totals, durationMs: 0 } });
    const { problems } = foldOf(entries);
    const places = problems.all.map(({ occurrences }) => occurrences.map(({ path }) => path));
    expect(places).toEqual([['a/b', 'a/c']]);
  });

  test('have an observer that failed as a setback: it harmed itself alone', () => {
    const { entries, tell } = telling();
    tell('a', { type: 'run.started', input: 'go' });
    tell('a', { type: 'observer.failed', observer: 'alerts', error: broken('no pager') });
    const { problems } = foldOf(entries);
    expect(problems.all.map(lineOf)).toEqual(['setback: the observer alerts failed: no pager x1']);
    expect(entries.flatMap((entry) => markerOf(entry) ?? [])).toEqual([]);
  });

  test('tell work that failed from what was refused, stopped, or tried again', () => {
    const { entries, tell } = telling();
    const call = { callId: 'c', tool: 'pay' };
    tell('a', { type: 'run.started', input: 'go' });
    tell('a', {
      type: 'model.retrying',
      model: 'm',
      attempt: 1,
      waitMs: 5,
      error: broken('busy', { errorId: '1' }),
    });
    tell('a', { type: 'tool.denied', ...call, reason: 'not her' });
    tell('a', { type: 'answer.refused', reason: 'nobody asked' });
    tell('a', { type: 'member.refused', member: 'd', limit: 'maxDepth', reason: 'too deep' });
    tell('a', { type: 'tool.finished', ...call, ok: false, text: 'no money', durationMs: 1 });
    tell('a/b', {
      type: 'member.ended',
      member: 'b',
      status: 'stopped',
      stopReason: { kind: 'maxSteps', limit: 8 },
    });
    tell('a/c', { type: 'member.ended', member: 'c', status: 'aborted', stopReason: { kind: 'aborted' } });
    expect(foldOf(entries).problems.all.map(lineOf)).toEqual([
      'setback: m is asked again: busy x1',
      'refusal: pay was denied: not her x1',
      'refusal: an answer of a person was refused: nobody asked x1',
      'refusal: d was refused: too deep x1',
      'error: pay failed: no money x1',
      'stop: b: stopped: it reached its limit of 8 steps x1',
    ]);
  });

  test('are named after the worst report of them, and stand with the agent, not with its helper', () => {
    const { entries, tell } = telling();
    const call = { callId: 'c', tool: 'read' };
    const error = (errorId: string): ErrorData => broken('no such page', { errorId });
    tell('a', { type: 'run.started', input: 'go' });
    tell('a/~call_1', { type: 'tool.retrying', ...call, attempt: 2, waitMs: 5, error: error('1') });
    tell('a', { type: 'tool.finished', ...call, ok: false, text: '', durationMs: 1, error: error('2') });
    const { problems } = foldOf(entries);
    expect(problems.all.map(({ title }) => title)).toEqual(['read failed']);
    expect(problems.all[0]?.occurrences.map(({ actor, call: of }) => `${actor} ${of ?? ''}`)).toEqual([
      'r/a c',
      'r/a c',
    ]);
    expect(problems.countAt(3)).toEqual({ error: 1, refusal: 0, stop: 0, setback: 1 });
  });

  test('are at a place those reported before it: a setback there may be an error later', () => {
    const { entries, tell } = telling();
    const error = broken('busy', { errorId: '1' });
    tell('a', { type: 'run.started', input: 'go' });
    tell('a', { type: 'model.retrying', model: 'm', attempt: 1, waitMs: 5, error });
    tell('a', { type: 'model.failed', model: 'm', key: '1', error });
    const { problems } = foldOf(entries);
    expect(problems.countAt(1)).toMatchObject({ error: 0, setback: 0 });
    expect(problems.countAt(2)).toMatchObject({ error: 0, setback: 1 });
    expect(problems.countAt(3)).toMatchObject({ error: 1, setback: 0 });
    expect(problems.countAt(3, 'another')).toMatchObject({ error: 0, setback: 0 });
  });

  test('of a log that nests causes without an end are cut, and an unknown event with an error is one, too', () => {
    const { entries, tell } = telling();
    interface Nested {
      name: string;
      message: string;
      cause?: Nested;
    }
    const cause: Nested = { name: 'Error', message: 'round' };
    cause.cause = cause;
    tell('a', { type: 'future.failed', error: broken('later', { cause }) } as never);
    const [problem] = foldOf(entries).problems.all;
    expect(problem).toMatchObject({ title: 'future failed', message: 'later' });
    expect(problem?.causes).toHaveLength(20);
  });
});
