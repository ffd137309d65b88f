import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DeltaEvent, LiveEvent } from '../../src/contracts/events/event.ts';
import {
  messagesOf,
  waitingRequests,
  runningTools,
  partialOutput,
} from '../../src/client/select-progress.ts';
import type { Progress } from '../../src/events/progress/progress.ts';
import { foldProgress, noProgress } from '../../src/events/progress/progress.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { deltaOf, durable } from '../events/sample-events.ts';
import { deferred, echo, quiet, settled } from '../support/runs.ts';
import { speakingModel } from './speaking-model.ts';

const watch = (events$: { subscribe(next: (event: LiveEvent) => void): unknown }) => {
  const seen = { now: noProgress, all: [] as Progress[], events: [] as LiveEvent[] };
  events$.subscribe((event) => {
    seen.now = foldProgress(seen.now, event);
    seen.all.push(seen.now);
    seen.events.push(event);
  });
  return seen;
};

describe('what is said', () => {
  test('is there as it streams, and is a message once it is answered', async () => {
    const { model, say, end } = speakingModel();
    const writer = agent({ name: 'writer', model });
    const handle = writer.stream('Write.');
    const seen = watch(handle.events$);
    await quiet();
    say('Once ');
    say('upon');
    expect(seen.now).toMatchObject({ speaker: 'writer', text: 'Once upon', isStreaming: true });
    expect(seen.now.messages.map(({ role, text }) => [role, text])).toEqual([['user', 'Write.']]);
    end('Once upon a time.');
    await handle.result;
    expect(seen.now).toMatchObject({ text: 'Once upon a time.', isStreaming: false, speeches: [] });
    expect(seen.now.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'Write.'],
      ['assistant', 'Once upon a time.'],
    ]);
  });

  test('and taken back is gone, and what broke off stays until the next attempt goes on from it', () => {
    const key = 'run-1/desk#0.DECIDE.0.0';
    const where = { model: 'm', key };
    const answer = { model: 'm', key: 'k2', calls: 0, finish: 'stop', usage: { input: 1, output: 1 } };
    let progress = [deltaOf('Hal', key), deltaOf('f a', key)].reduce(foldProgress, noProgress);
    expect(progress).toMatchObject({ text: 'Half a', isStreaming: true });
    const discarded = foldProgress(
      progress,
      durable(1, { type: 'model.discarded', ...where, characters: 6 }),
    );
    expect(discarded).toMatchObject({ text: '', speaker: undefined, isStreaming: false });
    progress = foldProgress(progress, durable(1, { type: 'model.interrupted', ...where, text: 'Half a' }));
    expect(progress).toMatchObject({ text: 'Half a', isStreaming: true });
    progress = foldProgress(progress, deltaOf('Half a', 'k2'));
    progress = foldProgress(progress, deltaOf(' loaf', 'k2'));
    expect(progress.speeches).toHaveLength(1);
    expect(progress.text).toBe('Half a loaf');
    progress = foldProgress(
      progress,
      durable(2, { type: 'model.answered', ...answer, text: 'Half a loaf', durationMs: 1 }),
    );
    expect(progress).toMatchObject({ text: 'Half a loaf', isStreaming: false, speeches: [] });
  });

  test('by whoever is joined late, is shown from its beginning; where pieces are missing, that is known', async () => {
    const { model, say, end } = speakingModel();
    const shaped = agent({ name: 'writer', model, output: z.object({ title: z.string() }) });
    const handle = shaped.stream('Write.');
    const early = watch(handle.events$);
    await quiet();
    say('{"title": "');
    say('Tides');
    const late = watch(handle.events$);
    say(' and');
    expect(early.now.speeches[0]).toMatchObject({ text: '{"title": "Tides and', isWhole: true });
    expect(partialOutput(early.now)).toEqual({ title: 'Tides and' });
    expect(late.now).toEqual(early.now);
    const dropped = late.events.filter((event) => event.type !== 'model.delta' || event.offset !== 0);
    const lacking = dropped.reduce(foldProgress, noProgress);
    expect(lacking.speeches[0]).toMatchObject({ text: ' and', isWhole: false });
    expect(partialOutput(lacking)).toBeUndefined();
    end('{"title": "Tides and tables"}');
    await handle.result;
    expect(partialOutput(late.now)).toEqual({ title: 'Tides and tables' });
    expect(late.now).toEqual(early.now);
  });

  test('while nobody listened, is there for who comes later', async () => {
    const { model, say, end } = speakingModel();
    const handle = agent({ name: 'writer', model }).stream('Write.');
    await quiet();
    say('unheard ');
    const seen = watch(handle.events$);
    say('heard');
    expect(seen.now.speeches[0]).toMatchObject({ text: 'unheard heard', isWhole: true });
    end('unheard heard');
    await handle.result;
    expect(seen.now.text).toBe('unheard heard');
  });
});

describe('calls', () => {
  test('stand with what was said, and say how far they are', async () => {
    const held = deferred<string>();
    const slow = tool({
      name: 'slow',
      description: 'Takes its time.',
      input: z.object({ of: z.string() }),
      describe: ({ of }) => `Reading ${of}`,
      execute: () => held.promise,
    });
    const model = scriptedModel([calls({ name: 'slow', input: { of: 'a book' } }), 'Read.']);
    const handle = agent({ name: 'reader', tools: [slow], model }).stream('Read.');
    const seen = watch(handle.events$);
    await quiet();
    expect(runningTools(seen.now)).toMatchObject([
      { path: 'reader', tool: 'slow', activity: 'Reading a book' },
    ]);
    expect(seen.now.messages.at(-1)).toMatchObject({
      role: 'assistant',
      calls: [{ tool: 'slow', input: { of: 'a book' }, state: 'running', activity: 'Reading a book' }],
    });
    held.resolve('It is long.');
    await handle.result;
    expect(runningTools(seen.now)).toEqual([]);
    expect(seen.now.messages[1]?.calls).toMatchObject([{ state: 'succeeded', text: 'It is long.' }]);
    expect(messagesOf(seen.now, 'reader')).toEqual(seen.now.messages);
  });

  test('that want a yes are requests, with what came of them', async () => {
    const risky = tool({
      name: 'risky',
      description: 'Does something.',
      input: z.object({}),
      approval: true,
      execute: () => 'done',
    });
    const model = scriptedModel([
      calls({ name: 'risky', input: {} }),
      calls({ name: 'risky', input: {} }),
      'Done.',
    ]);
    const handle = agent({ name: 'clerk', tools: [risky], model }).stream('Do.');
    const seen = watch(handle.events$);
    await quiet();
    const [first] = waitingRequests(seen.now);
    expect(first).toMatchObject({ kind: 'approval', tool: 'risky', path: 'clerk' });
    handle.approve(first?.id ?? '');
    await quiet();
    const [second] = waitingRequests(seen.now);
    handle.deny(second?.id ?? '', 'not twice');
    await handle.result;
    expect(seen.now.requests.map(({ outcome }) => outcome)).toEqual([
      { state: 'approved' },
      { state: 'denied', reason: 'not twice' },
    ]);
    expect(seen.now.messages.flatMap((message) => message.calls.map(({ state }) => state))).toEqual([
      'succeeded',
      'denied',
    ]);
  });

  test('of an agent that decides by itself stand by themselves, and its answer is a message', async () => {
    const handle = agent({
      name: 'plain',
      tools: [echo],
      decide: ({ step }) =>
        step === 0
          ? { kind: 'act', calls: [{ name: 'echo', input: { text: 'x' } }] }
          : { kind: 'answer', answer: 'So it is.' },
    }).stream('go');
    const seen = watch(handle.events$);
    await settled(handle);
    expect(seen.now.messages.map(({ text, calls: its }) => [text, its.map(({ state }) => state)])).toEqual([
      ['go', []],
      ['', ['succeeded']],
      ['So it is.', []],
    ]);
  });
});

describe('the value', () => {
  test('keeps the object of whatever did not change', async () => {
    const model = scriptedModel([calls({ name: 'echo', input: { text: 'x' } }), 'Done.']);
    const handle = agent({ name: 'a', tools: [echo], model }).stream('go');
    const seen = watch(handle.events$);
    await handle.result;
    const user = seen.now.messages[0];
    expect(seen.all.every(({ messages }) => messages[0] === user)).toBe(true);
    const copied = seen.all.slice(1).filter((after, index) => {
      const before = seen.all[index];
      return (
        before?.messages !== after.messages &&
        JSON.stringify(before?.messages) === JSON.stringify(after.messages)
      );
    });
    expect(copied).toEqual([]);
  });

  test('of runs one after the other reads as one conversation', async () => {
    const model = scriptedModel(['{"a": 1}', 'Again.']);
    const greeter = agent({ name: 'greeter', model });
    const { events: one } = await greeter.run('Hi', { runId: 'one' });
    const { events: two } = await greeter.run('Hi again', { runId: 'two' });
    const { messages, runId, totals } = [...one, ...two].reduce(foldProgress, noProgress);
    expect(messages.map(({ text }) => text)).toEqual(['Hi', '{"a": 1}', 'Hi again', 'Again.']);
    const anew = [...one, ...two.slice(0, 3)].reduce(foldProgress, noProgress);
    expect(partialOutput(anew)).toBeUndefined();
    expect(runId).toBe('two');
    expect(totals.modelCalls).toBe(1);
  });

  test('passes over events that a later release tells of, and refuses what is none', () => {
    const later = { ...durable(0, { type: 'run.paused' }), type: 'moon.rose' } as unknown as LiveEvent;
    expect(foldProgress(noProgress, later).messages).toEqual([]);
    const broken = { ...durable(0, { type: 'run.paused' }), type: 'model.answered' } as unknown as LiveEvent;
    expect(() => foldProgress(noProgress, broken)).toThrow(
      expect.objectContaining({ code: 'stream.invalid' }),
    );
  });

  test('knows of a lost piece in the midst of a text', () => {
    const piece = (text: string, offset: number): DeltaEvent => ({ ...deltaOf(text, 'k'), offset });
    const whole = [piece('one ', 0), piece('two ', 4)].reduce(foldProgress, noProgress);
    expect(whole.speeches[0]?.isWhole).toBe(true);
    expect(foldProgress(whole, piece('four', 14)).speeches[0]?.isWhole).toBe(false);
  });
});
