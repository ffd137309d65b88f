import { z } from 'zod';
import { expect, test } from 'vitest';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import type { Json } from '../../src/base/json/json.ts';
import { toJson } from '../../src/base/json/json.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { ofType, quiet, settled, start } from '../support/runs.ts';

const nested = (levels: number): Json => {
  let value: Json = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
};

/** What a rejection that nobody handled says, while `work` goes on. */
const unhandledDuring = async (work: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const found: unknown[] = [];
  const note = (reason: unknown): void => {
    found.push(reason);
  };
  const before = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', note);
  try {
    await work();
    await quiet();
  } finally {
    process.off('unhandledRejection', note);
    for (const listener of before) process.on('unhandledRejection', listener);
  }
  return found;
};

test('[FIND-55] what a tool says of its progress is text in the log, whatever it gives', async () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  const odd: readonly unknown[] = ['half', 0.5, 10n, { done: 1 }, loop, undefined, Symbol('s'), () => 1];
  const says = tool({
    name: 'says',
    description: 'Says odd things.',
    input: z.object({}),
    execute: (_, context) => {
      for (const each of odd) Reflect.apply(context.progress, undefined, [each]);
      for (const each of odd) Reflect.apply(context.emit, undefined, [each, each]);
      return 'done';
    },
  });
  const one = agent({
    name: 'a',
    tools: [says],
    model: scriptedModel([calls({ name: 'says', input: {} }), 'done']),
  });
  const { events, status } = await settled(start(one, 'go'));
  expect(status).toBe('completed');
  expect(JSON.parse(JSON.stringify(events))).toEqual(events);
  const said = ofType(events, 'tool.progressed').map(({ text }) => text);
  expect(said.slice(0, 4)).toEqual(['half', '0.5', '10', '{"done":1}']);
  expect(said.every((text) => typeof text === 'string')).toBe(true);
  expect(ofType(events, 'custom.emitted').every(({ name }) => typeof name === 'string')).toBe(true);
});

test('[FIND-55] a description, a check or a question for approval that rejects is nobody’s failure', async () => {
  const rejects = (): Promise<never> => Promise.reject(new Error('broken'));
  const unsure = tool({
    name: 'unsure',
    description: 'Rejects.',
    input: z.object({ text: z.string() }),
    // As it comes from JavaScript.
    describe: rejects as never,
    execute: ({ text }) => text,
  });
  const checks = tool({
    name: 'checks',
    description: 'Has a check that rejects.',
    input: z.object({ text: z.string().refine(rejects) }),
    describe: () => 'Checking',
    approval: () => false,
    execute: ({ text }) => text,
  });
  const input = { text: 'x' };
  const script = [calls({ name: 'unsure', input }, { name: 'checks', input }), 'done'];
  const found = await unhandledDuring(async () => {
    const one = agent({ name: 'a', tools: [unsure, checks], model: scriptedModel(script) });
    const person = { approve: () => true };
    const { status, events } = await settled(start(one, 'go', { person }));
    expect(status).toBe('completed');
    expect(ofType(events, 'tool.started').map(({ description }) => description)).toContain('Using unsure');
  });
  expect(found).toEqual([]);
});

test.each([150, 5_000, 50_000])(
  '[FIND-55] arguments nested %i deep fail their call, and not the run',
  async (levels) => {
    const takes = tool({
      name: 'takes',
      description: 'Takes anything.',
      input: z.object({ a: z.any() }),
      execute: () => 'taken',
    });
    const wanted = { name: 'takes', input: nested(levels) };
    const byModel = agent({ name: 'a', tools: [takes], model: scriptedModel([calls(wanted), 'done']) });
    const byItself = agent({
      name: 'a',
      tools: [takes],
      decide: ({ step }) => (step === 0 ? act(wanted) : answer('done')),
    });
    for (const each of [byModel, byItself]) {
      const { status, records, events } = await settled(start(each, 'go'));
      expect(status).toBe('completed');
      expect(records[0]?.results).toMatchObject([
        {
          ok: false,
          kind: 'validation',
          error: { message: expect.stringContaining('nested too deeply') as string },
        },
      ]);
      expect(() => JSON.stringify(events)).not.toThrow();
    }
  },
);

test('[FIND-55] bytes are a text from which they can be had back, not a number for each', async () => {
  const bytes = Uint8Array.from({ length: 100_003 }, (_, index) => (index * 7) % 256);
  const reads = tool({
    name: 'reads',
    description: 'Reads bytes.',
    input: z.object({}),
    execute: () => ({ bytes, part: Buffer.from('abc') }),
  });
  const one = agent({
    name: 'a',
    tools: [reads],
    model: scriptedModel([calls({ name: 'reads', input: {} }), 'done']),
  });
  const { records } = await settled(start(one, 'go'));
  const [result] = records[0]?.results ?? [];
  const value = z
    .object({ bytes: z.string(), part: z.string() })
    .parse(result?.ok === true ? result.value : undefined);
  expect(value.part).toBe('data:application/octet-stream;base64,YWJj');
  expect(Buffer.from(value.bytes.slice(value.bytes.indexOf(',') + 1), 'base64').equals(bytes)).toBe(true);
});

test('[FIND-55] typed arrays are their numbers, and any view of bytes its own part of them', () => {
  const buffer = new Uint8Array([0, 97, 98, 99, 0]).buffer;
  expect(toJson(new Float32Array([0.5, Number.NaN]))).toEqual([0.5, 'NaN']);
  expect(toJson(new BigInt64Array([1n]))).toEqual(['1']);
  for (const view of [new DataView(buffer, 1, 3), new Uint8Array(buffer, 1, 3), buffer.slice(1, 4)])
    expect(toJson(view)).toBe('data:application/octet-stream;base64,YWJj');
});

test('[FIND-59] nothing is approved once the run was aborted, and an attempt is refused with that reason', async () => {
  let isDone = false;
  const pays = tool({
    name: 'pays',
    description: 'Pays.',
    input: z.object({}),
    approval: true,
    execute: () => (isDone = true),
  });
  const one = agent({
    name: 'a',
    tools: [pays],
    model: scriptedModel([calls({ name: 'pays', input: {} }), 'done']),
  });
  const handle = start(one, 'go');
  await quiet();
  const [request] = handle.requests;
  expect(request).toBeDefined();
  handle.abort('enough');
  const id = request?.id ?? '';
  expect([handle.approve(id), handle.deny(id)]).toEqual([false, false]);
  expect((await handle.result).status).toBe('aborted');
  expect([handle.approve(id), isDone]).toEqual([false, false]);
});
