import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { isSameJson } from '../../src/base/json/same-json.ts';
import { agent, answer, replay, resume, tool } from '../../src/index.ts';
import type { Decision, Json } from '../../src/index.ts';
import { workflow } from '../../src/patterns/index.ts';
import { memoryStore } from '../../src/persistence/index.ts';
import { calls, scriptedModel } from '../../src/testing/index.ts';
import { deferred, never } from '../support/runs.ts';

const isoDate = z.codec(z.iso.datetime(), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});
const seconds = z.codec(z.number(), z.date(), {
  decode: (given) => new Date(given * 1000),
  encode: (date) => date.getTime() / 1000,
});

class Bird {
  readonly wings = 2;
}

const cyclic = (): object => {
  const ring: { self?: object } = {};
  ring.self = ring;
  return ring;
};

const deep = (levels: number): Json => (levels === 0 ? 'end' : [deep(levels - 1)]);

/** What JSON would change, where in it, and what is said of it. */
const odd: readonly (readonly [what: string, value: unknown, says: RegExp])[] = [
  ['a Date', { when: new Date(0) }, /\.when is a Date, .*write its text/],
  ['a bigint', { big: 5n }, /\.big is a bigint, .*write its digits/],
  ['a Map', { by: new Map([['a', 1]]) }, /\.by is a Map, .*a list of its entries/],
  ['a Set', [new Set([1])], /\[0\] is a Set, .*a list of its items/],
  ['NaN', { n: Number.NaN }, /\.n is NaN, .*write null/],
  ['Infinity', [1, Number.POSITIVE_INFINITY], /\[1\] is Infinity, .*write null/],
  ['undefined in a list', { list: [1, undefined] }, /\.list\[1\] is undefined, .*write null/],
  ['an instance of a class', { bird: new Bird() }, /\.bird is a Bird/],
  ['a function', { work: () => 1 }, /\.work is a function/],
  ['a cycle', cyclic(), /\.self is a cycle/],
  ['what is too deep', deep(200), /is more than 100 levels/],
  ['a key __proto__', JSON.parse('{"a":{"__proto__":{"admin":true}}}'), /unsafe key/],
];

/** Takes anything, as JavaScript callers may give it. */
const reader = agent({ name: 'reader', input: z.any(), decide: ({ input }) => answer(input) });
const given = (value: unknown): never => value as never;

describe('a value that JSON would change is refused where it is given, with its place', () => {
  test.each(odd)('%s, as an input', async (_, value, says) => {
    const refusal = { code: 'input.invalid', message: expect.stringMatching(says) as unknown };
    await expect(reader.run(given(value))).rejects.toMatchObject(refusal);
    await expect(reader.run(given(value), { store: memoryStore() })).rejects.toMatchObject(refusal);
    expect(() => reader.stream(given(value))).toThrow(says);
  });

  test.each(odd)('%s, as the result of a function of a workflow', async (_, value, says) => {
    const made = workflow({ name: 'w' })
      .node('a', () => value, { retry: 0 })
      .output('a')
      .build();
    await expect(made.run('go')).rejects.toThrow(says);
  });

  test.each(odd)('%s, as what a schema makes of an answer', async (_, value, says) => {
    // A Date and a bigint have forms of their own.
    const output = z
      .string()
      .transform(() => ({ value: /Date|bigint/.test(says.source) ? [new Map()] : value }));
    const made = agent({ name: 'a', output, model: scriptedModel(['"x"', '"x"', '"x"', '"x"', '"x"']) });
    await expect(made.run('go')).rejects.toMatchObject({ code: 'output.invalid' });
  });

  test.each(odd)('%s, as a checkpoint of a tool', async (_, value, says) => {
    const work = tool({
      name: 'work',
      description: 'Works.',
      input: z.object({}),
      retry: false,
      execute: async (_input, { checkpoint }) => checkpoint(given(value)),
    });
    const made = agent({
      name: 'a',
      tools: [work],
      model: scriptedModel([calls({ name: 'work', input: {} }), 'ok']),
    });
    const { records } = await made.run('go');
    expect(records[0]?.results[0]?.text).toMatch(says);
  });

  test.each(odd)('%s, as the input of a child', async (_, value, says) => {
    const work = tool({
      name: 'work',
      description: 'Works.',
      input: z.object({}),
      retry: false,
      execute: async (_input, { run }) => (await run(reader, given(value))).output,
    });
    const made = agent({
      name: 'a',
      tools: [work],
      model: scriptedModel([calls({ name: 'work', input: {} }), 'ok']),
    });
    const { records } = await made.run('go');
    expect(records[0]?.results[0]?.text).toMatch(says);
  });
});

describe('what a schema makes that JSON does not hold', () => {
  test('is kept as its codec encodes it: in the result, the store and the replay', async () => {
    const store = memoryStore();
    const output = z.object({ at: isoDate, from: seconds, by: z.string() });
    const text = '{"at":"2020-01-01T00:00:00.000Z","from":5,"by":"ann"}';
    const dated = agent({ name: 'dated', output, model: scriptedModel([text]) });
    const live = await dated.run('go', { store, runId: 'r' });
    expect(live.output).toEqual(JSON.parse(text));
    const { result, events } = await replay(dated, 'r', { store });
    expect(result?.output).toEqual(live.output);
    expect(events).toEqual([...live.events]);
    expect(output.parse(live.output).from).toEqual(new Date(5000));
  });

  test('is given to the prompt as the schema makes it, and to `decide` as its codec encodes it', async () => {
    const seen: unknown[] = [];
    const clerk = agent({
      name: 'clerk',
      input: z.object({ from: seconds }),
      conversation: { prompt: ({ from }) => `From ${from.toISOString()}` },
      decide: ({ input, transcript }) => {
        seen.push(input, [...transcript][0]?.text);
        return answer('ok');
      },
    });
    await clerk.run({ from: 5 });
    expect(seen).toEqual([{ from: 5 }, 'From 1970-01-01T00:00:05.000Z']);
  });

  test('is its text where the schema has no codec: a Date and a bigint, as their types say', async () => {
    const output = z.object({ at: z.coerce.date(), big: z.coerce.bigint() });
    const made = agent({ name: 'a', output, model: scriptedModel(['{"at":"2020-01-01","big":"5"}']) });
    expect((await made.run('go')).output).toEqual({ at: '2020-01-01T00:00:00.000Z', big: '5' });
  });

  test('is a problem that the model is told, where there is neither: it may answer better', async () => {
    const model = scriptedModel(['{"n":"many"}', '{"n":"5"}']);
    const made = agent({ name: 'a', output: z.object({ n: z.string().transform(Number) }), model });
    const { output } = await made.run('go');
    expect(output).toEqual({ n: 5 });
    expect(JSON.stringify(model.requests[1]?.messages)).toMatch(
      /n: the schema makes it NaN, which is not kept/,
    );
  });
});

test('the result of a function without one is null, and a property that is undefined is left out', async () => {
  const made = workflow({ name: 'w' })
    .node('nothing', () => undefined)
    .node('some', () => ({ a: 1, b: undefined }))
    .build();
  expect((await made.run('go')).output).toEqual({ nothing: null, some: { a: 1 } });
});

/** Echoes its input by a tool, keeps the result in its state, and answers with both, if it is let. */
const keeper = (reached: () => void, mayAnswer: boolean) =>
  agent({
    name: 'keeper',
    input: z.any(),
    tools: [
      tool({
        name: 'echo',
        description: 'Echoes.',
        parameters: { type: 'object' },
        execute: (said) => said,
      }),
    ],
    state: { kept: null } as Json,
    reduce: ({ state, results }) => (results[0]?.ok === true ? { kept: results[0].value } : state),
    decide: async ({ input, step, state }): Promise<Decision> => {
      if (step === 0) return { kind: 'act', calls: [{ name: 'echo', input: { value: input } }] };
      reached();
      return mayAnswer ? answer({ input, state }) : never();
    },
  });

/** The output of a run that was killed after its first step and resumed, and of its replay; undefined if it was refused. */
const keptOf = async (value: unknown) => {
  const store = memoryStore();
  const reached = deferred<void>();
  try {
    const handle = keeper(() => reached.resolve(), false).stream(value, { store, runId: 'r' });
    handle.result.catch(() => undefined);
    await reached.promise;
    await handle.suspend({ withinMs: 0 });
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'input.invalid' });
    return undefined;
  }
  const last = keeper(() => undefined, true);
  const { output, events } = await (await resume(last, 'r', { store })).result;
  const again = await replay(last, 'r', { store });
  return { output, events, replayed: again.result?.output };
};

test('whatever a run accepts comes out equal: input, argument, result, state and output, resumed, replayed and exported', async () => {
  let accepted = 0;
  const any = fc.anything({
    withNullPrototype: true,
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withSparseArray: true,
    stringUnit: 'binary',
    maxDepth: 3,
  });
  const json = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
  const lone = fc.constantFrom<unknown>(
    '\ud800',
    ['\udfff x'],
    { '\ud83d': -0 },
    deep(90),
    'long '.repeat(50_000),
  );
  const check = async (value: unknown): Promise<void> => {
    const kept = await keptOf(value);
    if (kept === undefined) return;
    accepted += 1;
    const { output, events, replayed } = kept;
    const expected = value ?? null;
    expect(isSameJson({ input: expected, state: { kept: { value: expected } } }, output)).toBe(true);
    expect(replayed).toEqual(output);
    expect(JSON.parse(JSON.stringify(events))).toEqual([...events]);
  };
  await fc.assert(fc.asyncProperty(any, check), { numRuns: 15 });
  await fc.assert(fc.asyncProperty(fc.oneof(json, lone), check), { numRuns: 12 });
  expect(accepted).toBeGreaterThan(10);
});
