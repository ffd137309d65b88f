import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventBody, RuntimeEvent } from '../../../src/contracts/events/event.ts';
import { Folds } from '../../../src/inspect/page/folds/folds.ts';
import type { Part } from '../../../src/inspect/page/folds/spending.ts';
import { spendingAt } from '../../../src/inspect/page/folds/spending.ts';
import type { Span, SpanKind } from '../../../src/inspect/page/folds/work-spans.ts';
import { endAt } from '../../../src/inspect/page/folds/work-spans.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import { recorder } from '../../../src/inspect/recording/recorder.ts';
import { profile } from '../../../src/inspect/telemetry/profiles/profile.ts';
import { readTrace } from '../../../src/inspect/traces/read-trace.ts';
import { recordingOf } from '../../../src/inspect/traces/recorded/trace-recording.ts';
import { agent } from '../../../src/runtime/define/agent.ts';
import { parallel } from '../../../src/patterns/parallel.ts';
import { virtualClock } from '../../../src/testing/virtual-clock.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';
import { tool } from '../../../src/tools/define/define-tool.ts';
import { letTimePass, settled, start } from '../../support/runs.ts';
import { desk, slowModel } from '../telemetry/telemetry-kit.ts';
import { z } from 'zod';

interface Recorded {
  readonly entries: readonly Entry[];
  readonly folds: Folds;
  readonly result: Awaited<ReturnType<typeof settled>>;
}

const flat = { name: 'flat', cost: () => 0.001 };

const read = (lines: Iterable<string>): Pick<Recorded, 'entries' | 'folds'> => {
  const entries = [...lines].map((line) => JSON.parse(line) as Entry);
  const folds = new Folds();
  for (const entry of entries) folds.take(entry);
  return { entries, folds };
};

const recordedDesk = async (): Promise<Recorded> => {
  const record = recorder();
  const clock = virtualClock(0);
  const options = { inspect: record, clock, runId: 'r', prices: flat };
  const result = await letTimePass(clock, settled(start(desk(clock), 'When?', options)), 10);
  return { ...read(record.recording.from()), result };
};

const msOf = (spans: readonly Span[], kind: SpanKind, name?: string): number =>
  spans
    .filter((span) => span.kind === kind && (name === undefined || span.name === name))
    .reduce((sum, { from, to = Infinity }) => sum + to - from, 0);

const partAt = (part: Part, ...names: readonly string[]): Part => {
  const [name, ...rest] = names;
  if (name === undefined) return part;
  const inner = part.parts.find((each) => each.name === name);
  if (inner === undefined) throw new Error(`no ${name} in ${part.parts.map((each) => each.name).join(', ')}`);
  return partAt(inner, ...rest);
};

describe('the timed work of a recording', () => {
  test('nests agents and their calls, and each is as long as the run says', async () => {
    const { folds, result } = await recordedDesk();
    const { all } = folds.work;
    const profiled = profile(result.events);
    expect(all.every(({ to }) => to !== undefined)).toBe(true);
    for (const { from, to = 0, parent } of all) {
      expect(from).toBeGreaterThanOrEqual(parent?.from ?? 0);
      expect(to).toBeLessThanOrEqual(parent?.to ?? Infinity);
    }
    expect(msOf(all, 'model', 'example:large')).toBe(
      profiled?.models.find(({ name }) => name === 'example:large')?.ms,
    );
    expect(msOf(all, 'tool')).toBe(250);
    expect(all.find(({ parent }) => parent === undefined)).toMatchObject({
      from: 0,
      to: result.totals.durationMs,
    });
    // The model that was down waits before it is asked again.
    const waits = all.filter(({ kind, from, to }) => kind === 'wait' && to !== from);
    expect(waits.map(({ name, from, to, step }) => ({ name, from, to, step }))).toEqual([
      { name: 'example:large', from: 1_150, to: 1_650, step: 1 },
    ]);
    expect(all.filter(({ hasFailed }) => hasFailed).map(({ kind, to }) => [kind, to])).toEqual([
      ['model', 1_150],
    ]);
  });

  test('is at a place what had begun by then, and what had not ended goes on', async () => {
    const { folds, entries } = await recordedDesk();
    const { all } = folds.work;
    for (const entry of entries) {
      const length = entry.n + 1;
      for (const span of all) {
        const end = endAt(span, length, entry.at);
        expect(end === undefined).toBe(span.n >= length);
        if (end === undefined) continue;
        expect(end).toBe(span.endedAt !== undefined && span.endedAt < length ? span.to : entry.at);
      }
    }
  });

  test('is there once where a resumed run repeats what it did before, and goes on after it', async () => {
    const { entries, folds } = await recordedDesk();
    const cut = entries.findIndex(
      (entry) => entry.kind === 'published' && entry.event.type === 'tool.finished',
    );
    const again = new Folds();
    for (const [n, entry] of [...entries.slice(0, cut), ...entries].entries()) again.take({ ...entry, n });
    const timesOf = (spans: readonly Span[]): readonly unknown[] =>
      spans.map(({ kind, name, from, to }) => [kind, name, from, to]);
    expect(timesOf(again.work.all)).toEqual(timesOf(folds.work.all));
    const ended = again.work.all.filter(({ kind, endedAt = 0 }) => kind === 'model' && endedAt < cut);
    expect(ended).toHaveLength(2);
    expect(again.work.expenses.map(({ costUsd }) => costUsd)).toEqual(
      folds.work.expenses.map(({ costUsd }) => costUsd),
    );
  });

  test('has a person apart from the wait of the call that the person decides on', async () => {
    const record = recorder();
    const clock = virtualClock(0);
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
    const handle = start(payer, 'Pay.', { inspect: record, clock, runId: 'r' });
    for (let step = 0; step < 50 && handle.requests.length === 0; step += 1) await clock.advance(1);
    await clock.advance(700);
    for (const { id } of handle.requests) handle.approve(id);
    await letTimePass(clock, settled(handle), 1);
    const { all } = read(record.recording.from()).folds.work;
    const person = all.filter(({ kind }) => kind === 'person');
    expect(person).toHaveLength(1);
    expect(msOf(all, 'person')).toBeGreaterThanOrEqual(700);
    expect(msOf(all, 'wait')).toBeLessThan(10);
    expect(person[0]).toMatchObject({ actor: 'r/payer', step: 0, name: 'whether pay' });
  });
});

describe('what a run spends', () => {
  test.each(['desk', 'trace-3.jsonl', 'trace-0-1'])(
    'is in all its parts together what it is in total: tokens and money of %s',
    async (name) => {
      const { entries, folds } =
        name === 'desk'
          ? await recordedDesk()
          : read(
              recordingOf(
                (await readTrace(join(import.meta.dirname, '../../fixtures/logs', name))).events,
              ).from(),
            );
      for (const { n, at } of entries) {
        const [sums] = folds.sumsAt(n + 1);
        const { spent } = spendingAt(folds.work, { length: n + 1, now: at });
        const { inputTokens = 0, outputTokens = 0, costUsd = spent.costUsd } = sums?.totals ?? {};
        expect(spent.tokens).toBe(inputTokens + outputTokens);
        expect(spent.costUsd).toBeCloseTo(costUsd, 9);
      }
    },
  );

  test('has attempts without an answer and summaries in it, and calls before the beginning of the recording', () => {
    const folds = new Folds();
    const usage = { input: 8, output: 2 };
    const call = { model: 'm', key: 'k', usage, costUsd: 0.5 };
    const bodies: readonly EventBody[] = [
      { type: 'run.started', input: 'go' },
      { type: 'model.asked', model: 'm', key: 'k', messages: 1, attempt: 1 },
      { type: 'model.discarded', ...call, characters: 4 },
      { type: 'model.interrupted', ...call, text: 'It w' },
      { type: 'model.answered', ...call, text: 'It was.', calls: 0, finish: 'stop', durationMs: 1 },
      {
        type: 'context.compacted',
        before: 9,
        after: 1,
        shown: 1,
        of: 2,
        rungs: [],
        isSummarised: true,
        usage,
        costUsd: 0.25,
        summariser: 's',
      },
    ];
    for (const [seq, body] of bodies.entries()) {
      const event = { v: 1, seq, at: seq, runId: 'r', path: 'a', agent: 'a', ...body } as RuntimeEvent;
      folds.take({ n: seq, at: seq, kind: 'published', actor: 'r/a', event });
    }
    const whole = spendingAt(folds.work, { length: 6, now: 5 });
    const [sums] = folds.sumsAt(6);
    expect(whole.spent).toEqual({ ms: 0, tokens: 40, costUsd: 1.75 });
    expect(sums?.totals).toMatchObject({ inputTokens: 32, outputTokens: 8, costUsd: 1.75 });
    expect(whole.parts.map(({ name, spent }) => [name, spent.tokens])).toEqual([
      ['m', 30],
      ['s', 10],
    ]);
  });

  test('is told by agent, in it by step, in it by model and tool', async () => {
    const { folds, entries, result } = await recordedDesk();
    const { at = 0 } = entries.at(-1) ?? {};
    const whole = spendingAt(folds.work, { length: entries.length, now: at });
    const researcher = partAt(whole, 'desk', 'line', 'researcher');
    expect(partAt(researcher, 'step 1', 'example:large')).toMatchObject({
      count: 1,
      spent: { ms: 400, tokens: 110 },
    });
    expect(partAt(researcher, 'step 1', 'search')).toMatchObject({ spent: { ms: 250, tokens: 0 } });
    expect(partAt(whole, 'desk').spent.costUsd).toBeCloseTo(result.totals.costUsd ?? -1, 9);
    // One after the other, so that all of the time is somewhere once.
    expect(whole.spent.ms).toBeCloseTo(result.totals.durationMs, 6);
    expect(spendingAt(folds.work, { length: entries.length, now: at, run: 'another' }).parts).toEqual([]);
  });

  test('is an agent’s own in the time in which none of its parts was at work, however they overlap', () => {
    const span = (kind: SpanKind, from: number, to: number, n: number, parent?: Span): Span => ({
      kind,
      name: kind,
      run: 'r',
      actor: 'r/a',
      parent,
      step: undefined,
      call: undefined,
      from,
      to,
      n,
      endedAt: 9,
      hasFailed: false,
    });
    const own = span('agent', 0, 1_000, 0);
    const all = [
      own,
      span('tool', 0, 400, 1, own),
      span('tool', 200, 600, 2, own),
      span('model', 300, 500, 3, own),
    ];
    const whole = spendingAt({ all, expenses: [] }, { length: 10, now: 1_000 });
    expect(partAt(whole, 'agent', 'tool')).toMatchObject({ count: 2, spent: { ms: 800 } });
    expect(partAt(whole, 'agent').spent.ms).toBe(800 + 200 + 400);
    // Its end is the entry at 9: at the place before it, it goes on.
    expect(endAt(own, 9, 700)).toBe(700);
    expect(endAt(own, 10, 700)).toBe(1_000);
  });

  test('has members beside each other, and equal ones as one', async () => {
    const record = recorder();
    const clock = virtualClock(0);
    const member = (ms: number) => agent({ name: 'a', model: slowModel(clock, 'm', ms, [{ text: 'x' }]) });
    const crowd = parallel({ name: 'crowd', members: { a: member(100), b: member(300) } });
    await letTimePass(clock, settled(start(crowd, 'go', { clock, inspect: record, runId: 'r' })), 10);
    const { folds, entries } = read(record.recording.from());
    const whole = spendingAt(folds.work, { length: entries.length, now: 300 });
    expect(whole.spent.ms).toBe(400);
    expect(partAt(whole, 'crowd').parts.map(({ name, spent }) => [name, spent.ms])).toEqual([
      ['a', 100],
      ['b', 300],
    ]);
  });
});
