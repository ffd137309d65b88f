import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isTroupeError, TroupeError } from '../../src/contracts/errors/error.ts';
import type { ErrorCode, Retryable } from '../../src/contracts/errors/error-data.ts';
import type { Model, ModelAnswer } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { text$, totals$ } from '../../src/events/stream/select.ts';
import { modelRetryDefaults } from '../../src/models/retry/retry-policy.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { virtualClock } from '../../src/testing/virtual-clock.ts';
import { echo, letTimePass, never, ofType, quiet, settled, start, typesOf } from '../support/runs.ts';

type Script = readonly (ModelAnswer | Error | 'nothing')[];

/** A provider that has the whole answer at once. */
const prompt = (script: Script): Model => {
  let asked = 0;
  return {
    provider: 'prompt',
    id: 'p',
    answer: () => {
      const reply = script[asked++] ?? new Error('the script is over');
      if (reply instanceof Error) throw reply;
      return reply === 'nothing' ? never<ModelAnswer>() : reply;
    },
  };
};

/** A provider that streams its answer in pieces, if somebody reads them. */
const streaming = (script: Script): Model => {
  let asked = 0;
  return {
    provider: 'streaming',
    id: 's',
    answer: async (_, { delta, isWatched }) => {
      const reply = script[asked++] ?? new Error('the script is over');
      await Promise.resolve();
      if (reply instanceof Error) throw reply;
      if (reply === 'nothing') return never<ModelAnswer>();
      for (const text of isWatched ? reply.text : []) {
        delta({ type: 'text', text });
        await Promise.resolve();
      }
      return reply;
    },
  };
};

const looks = modelAnswer({
  calls: [{ id: '', name: 'echo', input: { text: 'seen' } }],
  usage: { input: 5, output: 2 },
});
const says = (text: string) => modelAnswer({ text, usage: { input: 7, output: 3, cached: 4 } });

const failing = (code: ErrorCode, retryable: Retryable, more: object = {}) =>
  new TroupeError(code, `Cannot answer as it failed: ${code}`, { retryable, ...more });

const rateLimited = (retryAfterMs: number) => failing('model.rate-limited', 'yes', { retryAfterMs });

describe.each([
  { kind: 'at once', provide: prompt },
  { kind: 'in pieces', provide: streaming },
])('[DODO-10] a provider that answers $kind', ({ provide }) => {
  const run = (script: Script, watch: (text: string) => void = () => undefined) => {
    const clock = virtualClock();
    const one = agent({ name: 'a', tools: [echo], model: provide(script) });
    const handle = start(one, 'go', { clock });
    text$(handle.events$).subscribe(({ text }) => {
      watch(text);
    });
    return { handle, clock, result: settled(handle) };
  };

  test('calls tools and answers', async () => {
    const { output, records } = await run([looks, says('there')]).result;
    expect(output).toBe('there');
    expect(records.map(({ results }) => results.map(({ text }) => text))).toEqual([['seen'], []]);
  });

  test('has its tokens counted', async () => {
    const { totals } = await run([looks, says('there')]).result;
    expect(totals).toMatchObject({ modelCalls: 2, inputTokens: 12, outputTokens: 5, cachedTokens: 4 });
  });

  test('is read to the end by whoever reads along', async () => {
    const read: string[] = [];
    await run([says('there')], (text) => read.push(text)).result;
    expect(read.at(-1)).toBe('there');
  });

  test('fails the run with an error of its own kind, and with a typed one where it has none', async () => {
    const own = await run([failing('model.auth', 'no')]).result;
    expect(own.error).toMatchObject({ code: 'model.auth', retryable: 'no', phase: 'DECIDE' });
    const plain = await run([new RangeError('out of reach')]).result;
    expect(plain.error).toMatchObject({
      code: 'model.failed',
      cause: { name: 'RangeError', message: 'out of reach' },
    });
  });

  test('is asked again where that may help', async () => {
    const { result, clock } = run([failing('model.unavailable', 'yes'), says('there')]);
    const { output, totals } = await letTimePass(clock, result);
    expect(output).toBe('there');
    expect(totals).toMatchObject({ modelCalls: 2, retries: 1 });
  });

  test('is let go of by an abort, though it never answers', async () => {
    const { handle, result, clock } = run(['nothing']);
    await quiet();
    handle.abort('enough');
    expect((await result).stopReason).toEqual({ kind: 'aborted', reason: 'enough' });
    expect(clock.pending).toBe(0);
  });
});

test('[DODO-14] a stream that fails before its first piece is asked again, and its reader sees nothing of that', async () => {
  const clock = virtualClock();
  const model = streaming([failing('model.unavailable', 'yes'), says('there')]);
  const handle = start(agent({ name: 'a', model }), 'go', { clock });
  const read: string[] = [];
  text$(handle.events$).subscribe(({ text }) => read.push(text));
  const { events, output } = await letTimePass(clock, settled(handle));
  expect(output).toBe('there');
  // A `t` may be the first letter of a key: it waits for the next piece.
  expect(read).toEqual(['th', 'the', 'ther', 'there', 'there']);
  expect(typesOf(events)).not.toContain('model.discarded');
  expect(ofType(events, 'model.retrying')).toMatchObject([{ attempt: 2, waitMs: 500 }]);
});

describe('when all attempts are used', () => {
  const dies = (retry?: { attempts: number }) => {
    const clock = virtualClock();
    const model = scriptedModel(
      Array.from({ length: 9 }, (_, index) =>
        failing('model.unavailable', 'yes', { status: 503, cause: new Error(`socket ${index + 1}`) }),
      ),
    );
    const handle = start(agent({ name: 'a', model, failures: { retry } }), 'go', { clock });
    return { clock, model, handle };
  };

  test('[DODO-34] the run fails with the last error, its code, status and cause; the events say how often it was tried', async () => {
    const { clock, handle, model } = dies();
    const { events } = await letTimePass(clock, settled(handle));
    const error: unknown = await handle.result.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TroupeError);
    if (!isTroupeError(error, 'model.unavailable')) throw new Error('that is another error');
    expect(error).toMatchObject({ status: 503, retryable: 'yes' });
    expect(error.cause).toBeInstanceOf(Error);
    expect(error.data.cause?.message).toBe('socket 3');
    expect(model.requests).toHaveLength(3);
    expect(ofType(events, 'model.retrying').map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(ofType(events, 'model.failed')).toHaveLength(1);
    expect(isTroupeError(error, 'model.failed')).toBe(false);
  });

  test.each([
    ['what is said', { attempts: 2 }, 2],
    ['one default', undefined, modelRetryDefaults.attempts],
  ])('[D1] the attempts made, told and counted are all those of %s', async (_, retry, attempts) => {
    const { clock, handle, model } = dies(retry);
    const { events, totals } = await letTimePass(clock, settled(handle));
    expect(model.requests).toHaveLength(attempts);
    expect(totals).toMatchObject({ modelCalls: attempts, retries: attempts - 1 });
    expect(ofType(events, 'model.asked').map(({ attempt }) => attempt)).toEqual(
      Array.from({ length: attempts }, (__, index) => index + 1),
    );
  });
});

test.each([
  ['a rate limit waits as long as it was asked to, and a little more', rateLimited(20_000), 21_000],
  ['a server that is down is asked again soon', failing('model.unavailable', 'yes'), 500],
  ['what does not fit its schema is said at once, without a wait', modelAnswer({ text: '"no"' }), 0],
])('[TENEX-94] %s', async (_, first, waited) => {
  const clock = virtualClock();
  const model = scriptedModel([first, '{"celsius":21}']);
  const output = z.object({ celsius: z.number() });
  const handle = start(agent({ name: 'a', model, output }), 'go', { clock });
  const { output: answer, totals, events } = await letTimePass(clock, settled(handle), 100);
  expect(answer).toEqual({ celsius: 21 });
  expect(model.requests).toHaveLength(2);
  expect(ofType(events, 'model.retrying').map(({ waitMs }) => waitMs)).toEqual(waited === 0 ? [] : [waited]);
  expect(totals.durationMs).toBeGreaterThanOrEqual(waited);
});

test('[TENEX-94] the policy knows what has been: the second wait is twice the first, one that may help is tried once', async () => {
  const waits = async (retryable: Retryable) => {
    const clock = virtualClock();
    const model = scriptedModel(Array.from({ length: 4 }, () => failing('model.unavailable', retryable)));
    const handle = start(agent({ name: 'a', model }), 'go', { clock });
    const { events } = await letTimePass(clock, settled(handle));
    return ofType(events, 'model.retrying').map(({ waitMs }) => waitMs);
  };
  expect(await waits('yes')).toEqual([500, 1_000]);
  expect(await waits('maybe')).toEqual([500]);
  expect(await waits('no')).toEqual([]);
});

test('[D19] retries are counted once, by the run, whoever watches: falling back is one, too', async () => {
  const clock = virtualClock();
  const down = () => failing('model.unavailable', 'yes');
  const first = scriptedModel([down(), down(), down()], 'first');
  const second = scriptedModel([down(), 'there'], 'second');
  const handle = start(agent({ name: 'a', model: [first, second] }), 'go', { clock });
  const seen: number[] = [];
  for (let watchers = 0; watchers < 3; watchers += 1)
    totals$(handle.events$).subscribe(({ retries }) => {
      seen[watchers] = Math.max(seen[watchers] ?? 0, retries);
    });
  const before: number[] = [];
  totals$(handle.events$).subscribe(({ retries, steps }) => void (steps === 1 && before.push(retries)));
  const { totals } = await letTimePass(clock, settled(handle));
  expect(totals).toMatchObject({ modelCalls: 5, retries: 4, steps: 1 });
  expect(seen).toEqual([4, 4, 4]);
  // Whoever adds up events has the same before the run says so itself.
  expect(before).toEqual([4, 4]);
});

test('[QITOS-09] a model is shown instructions, history, the question, and both sides of every turn, in this order', async () => {
  const model = scriptedModel([
    { ...calls({ name: 'echo', input: { text: 'seen' } }), text: 'Let me look.' },
    'there',
  ]);
  const one = agent({
    name: 'a',
    instructions: 'Be brief.',
    model,
    tools: [echo],
    conversation: { prompt: (input) => `Question: ${input}` },
  });
  const history = [
    { role: 'user', text: 'Hello.' },
    { role: 'assistant', text: 'Hello!' },
  ] as const;
  await settled(start(one, 'go', { history }));
  const [first, second] = model.requests;
  expect(first?.instructions).toBe('Be brief.');
  expect(first?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'user: Hello.',
    'assistant: Hello!',
    'user: Question: go',
  ]);
  expect(second?.messages.slice(0, 3)).toEqual(first?.messages);
  expect(second?.messages.slice(3).map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'assistant: Let me look.',
    'tool: seen',
  ]);
});

test('[DODO-58] a model that is swapped between two calls has the next one, with all that was said', async () => {
  const old = scriptedModel([
    () => {
      handle.use(other);
      return calls({ name: 'echo', input: { text: 'seen' } });
    },
  ]);
  const other = scriptedModel(['there']);
  const handle = start(agent({ name: 'a', tools: [echo], model: old }), 'go');
  const { output, events } = await settled(handle);
  expect(output).toBe('there');
  expect(other.requests[0]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(ofType(events, 'model.swapped')).toMatchObject([{ to: 'scripted:script' }]);
  old.assertConsumed();
});
