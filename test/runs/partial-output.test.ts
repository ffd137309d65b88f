import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Critic } from '../../src/contracts/agents/critic.ts';
import type { Model, ModelAnswer, ModelDelta } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import type { RunHandle } from '../../src/contracts/runs/run-handle.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { complete } from '../../src/tools/built-in/ending/complete.ts';
import { pipeline } from '../../src/patterns/pipeline.ts';
import { slowStore } from '../support/slow-store.ts';

/** A model that writes one answer after the other, each in pieces. */
const writing = (...answers: readonly (readonly string[])[]): Model =>
  deltaModel(
    ...answers.map((pieces) => ({
      deltas: pieces.map((text) => ({ type: 'text' as const, text })),
      answer: modelAnswer({ text: pieces.join('') }),
    })),
  );

const deltaModel = (
  ...answers: readonly { readonly deltas: readonly ModelDelta[]; readonly answer: ModelAnswer }[]
): Model => {
  let next = 0;
  return {
    provider: 'example',
    id: 'writer',
    answer: (_request, call) => {
      const turn = answers[next];
      next += 1;
      if (turn === undefined) throw new Error('asked too often');
      for (const delta of turn.deltas) call.delta(delta);
      return turn.answer;
    },
  };
};

/** The pieces of a text, of `size` characters. */
const cut = (text: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );

const report = z.object({ title: z.string(), points: z.array(z.string()) });
const cities = z.array(z.object({ name: z.string(), people: z.number().int() }));

const reporter = (model: Model) => agent({ name: 'reporter', model, output: report });
const lister = (model: Model) => agent({ name: 'lister', model, output: cities });

describe('partial$', () => {
  test('the output is seen as it is written, and last as it was validated', async () => {
    const run = reporter(writing(['{"title": "Ti', 'des", "points', '": ["The moon', ' pulls."]}'])).stream(
      'go',
    );
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    await run.result;
    expect(await seen).toEqual([
      { title: 'Ti' },
      { title: 'Tides' },
      { title: 'Tides', points: ['The moon'] },
      { title: 'Tides', points: ['The moon pulls.'] },
      { title: 'Tides', points: ['The moon pulls.'] },
    ]);
  });

  test('an answer that was refused is begun again', async () => {
    const good = '{"title":"B","points":[]}';
    const run = reporter(writing(['{"title": "A", "points"', ': 1}'], [good])).stream('go');
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    const { output } = await run.result;
    expect(output).toEqual({ title: 'B', points: [] });
    expect((await seen).map(({ title }) => title)).toEqual(['A', 'A', 'B', 'B']);
  });

  test('text is the output of an agent without a schema', async () => {
    const run = agent({ name: 'talker', model: writing(['Good ', 'day.']) }).stream('go');
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    await run.result;
    expect(await seen).toEqual(['Good ', 'Good day.', 'Good day.']);
  });

  test('the arguments of `complete` are the output of a model that answers by it', async () => {
    const input = { answer: { title: 'Tides', points: ['a'] }, summary: 'done' };
    const pieces = cut(JSON.stringify(input), 12);
    const model = deltaModel({
      deltas: [
        { type: 'text', text: 'Here it is.' },
        ...pieces.map((text, index): ModelDelta => ({
          type: 'tool-call',
          index: 0,
          text,
          ...(index === 0 ? { name: 'complete' } : {}),
        })),
      ],
      answer: modelAnswer({ text: 'Here it is.', calls: [{ id: 'c', name: 'complete', input }] }),
    });
    const run = agent({ name: 'clerk', model, output: report, tools: [complete] }).stream('go');
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    expect(await run.result).toMatchObject({ status: 'completed', output: input.answer });
    const found = await seen;
    expect(found.slice(0, 2)).toEqual([{}, { title: 'Tide' }]);
    expect(found.at(-1)).toEqual(input.answer);
  });

  test('it completes without a value if the run does not complete', async () => {
    const run = agent({ name: 'talker', model: deltaModel(), failures: { retry: { attempts: 1 } } }).stream(
      'go',
    );
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    await expect(run.result).rejects.toThrow('asked too often');
    expect(await seen).toEqual([]);
  });

  test('a subscriber that joins after the run gets the output', async () => {
    const run = reporter(writing(['{"title":"A","points":[]}'])).stream('go');
    await run.result;
    expect(await lastValueFrom(run.partial$.pipe(toArray()))).toEqual([{ title: 'A', points: [] }]);
  });

  describe.each([
    ['that nobody watched', false],
    ['that is watched', true],
  ])('a subscriber that joins within an answer %s', (_, isWatched) => {
    /** All that a subscriber gets who joins when `at` pieces of the answer have come. */
    const seenFrom = async (
      at: number,
      pieces: readonly string[],
      { output, ...options }: RunOptions & { readonly output?: z.ZodType } = {},
    ): Promise<readonly unknown[]> => {
      let seen: Promise<readonly unknown[]> = Promise.resolve([]);
      const model: Model = {
        provider: 'example',
        id: 'writer',
        answer: async (_request, call) => {
          await Promise.resolve();
          for (const [index, text] of pieces.entries()) {
            if (index === at) seen = lastValueFrom(run.partial$.pipe(toArray()));
            call.delta({ type: 'text', text });
          }
          return modelAnswer({ text: pieces.join('') });
        },
      };
      const run: RunHandle<unknown, unknown> = agent({
        name: 'writer',
        model,
        ...(output && { output }),
      }).stream('go', options);
      if (isWatched) run.events$.subscribe();
      await run.result;
      return seen;
    };

    test('gets what is written already at once, then what follows', async () => {
      const pieces = ['{"title":', '"A"', ',"points":["moon', '"]}'];
      expect(await seenFrom(2, pieces, { output: report })).toEqual([
        { title: 'A' },
        { title: 'A', points: ['moon'] },
        { title: 'A', points: ['moon'] },
        { title: 'A', points: ['moon'] },
      ]);
      expect(await seenFrom(1, ['Good ', 'day.'])).toEqual(['Good ', 'Good day.', 'Good day.']);
    });

    test('gets it in a stored run, each piece once', async () => {
      const seen = await seenFrom(2, ['Good ', 'day', '.'], { store: slowStore(memoryStore(), 1) });
      // What a store has not confirmed comes when it has.
      expect(['Good ', 'Good day']).toContain(seen[0]);
      expect(seen.slice(-3)).toEqual(['Good day', 'Good day.', 'Good day.']);
    });

    test('is not shown the beginning of a secret', async () => {
      const pieces = ['The key: my-own', '-sec', 'ret!', ' indeed.'];
      const seen = await seenFrom(2, pieces, { secrets: { VAULT: 'my-own-secret!' } });
      expect(seen[0]).toBe('The key: ');
      expect(seen.at(-1)).toBe(pieces.join(''));
      expect(seen.slice(0, -1).join()).not.toContain('my-own');
    });

    test('is not shown an answer with secret fields before it is known', async () => {
      const output = z.object({ pin: z.string().meta({ writeOnly: true }) });
      const seen = await seenFrom(2, ['{"pin":"47', '1', '1"}'], { output });
      expect(JSON.stringify(seen.slice(0, -1))).not.toContain('47');
    });
  });

  test('a subscriber that joins after an answer, and before the end, gets the answer', async () => {
    let seen: Promise<unknown> | undefined;
    const judge: Critic = {
      name: 'judge',
      critique: () => {
        seen = lastValueFrom(run.partial$.pipe(toArray()));
        return { verdict: 'accept' };
      },
    };
    const run: RunHandle<unknown, unknown> = agent({
      name: 'talker',
      model: writing(['Good ', 'day.']),
      critics: [judge],
    }).stream('go');
    await run.result;
    expect(await seen).toEqual(['Good day.', 'Good day.']);
  });

  test("a team's output comes at its end", async () => {
    const first = agent({ name: 'first', model: writing(['on', 'e']) });
    const last = agent({ name: 'last', model: writing(['tw', 'o']) });
    const run = pipeline({ name: 'line', stages: [first, last] }).stream('go');
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    const { output } = await run.result;
    expect(await seen).toEqual([output]);
  });

  test('one reader more changes nothing of the log', async () => {
    const pieces = cut('{"title":"A","points":["b","c"]}', 3);
    const typesOf = async (isWatched: boolean): Promise<readonly string[]> => {
      const run = reporter(writing(pieces)).stream('go');
      if (isWatched) run.partial$.subscribe();
      return (await run.result).events.map(({ type }) => type);
    };
    expect(await typesOf(true)).toEqual(await typesOf(false));
  });
});

describe('element$', () => {
  const list = [
    { name: 'Aachen', people: 249_070 },
    { name: 'Bonn', people: 330_579 },
    { name: 'Köln', people: 1_084_831 },
  ];

  test('the items of a list come one by one, each once it is whole', async () => {
    const seen: unknown[] = [];
    const marks: number[] = [];
    const pieces = cut(JSON.stringify(list), 5);
    const run = lister(writing(pieces)).stream('go');
    run.element$.subscribe((found) => seen.push(found));
    run.partial$.subscribe(() => marks.push(seen.length));
    await run.result;
    expect(seen).toEqual(list.map((element, index) => ({ index, element })));
    // Not all of them at the end.
    expect(new Set(marks)).toEqual(new Set([0, 1, 2, 3]));
  });

  test('an item that the schema refuses is not emitted, nor one twice, when the model answers again', async () => {
    const [aachen, bonn] = list;
    const wrong = JSON.stringify([aachen, { name: 'Bonn', people: 'many' }]);
    const run = lister(writing(cut(wrong, 7), cut(JSON.stringify([aachen, bonn]), 7))).stream('go');
    const seen = lastValueFrom(run.element$.pipe(toArray()));
    await run.result;
    expect(await seen).toEqual([
      { index: 0, element: aachen },
      { index: 1, element: bonn },
    ]);
  });

  test('what an answer lacks of the one before is withdrawn, once its list is whole', async () => {
    const [aachen, bonn, koeln] = list;
    const wrong = JSON.stringify([aachen, bonn, koeln, { name: 'Trier', people: 'many' }]);
    const run = lister(writing(cut(wrong, 7), cut(JSON.stringify([aachen, koeln]), 7))).stream('go');
    const seen = lastValueFrom(run.element$.pipe(toArray()));
    await run.result;
    expect(await seen).toEqual([
      { index: 0, element: aachen },
      { index: 1, element: bonn },
      { index: 2, element: koeln },
      { index: 1, element: koeln },
      { index: 2, element: undefined },
    ]);
  });

  test('all items are withdrawn if the output is not a list', async () => {
    const either = z.union([z.array(z.number()).min(3), z.object({ none: z.boolean() })]);
    const run = agent({
      name: 'either',
      model: writing(['[1, 2]'], ['{"none":true}']),
      output: either,
    }).stream('go');
    const seen: unknown[] = [];
    run.element$.subscribe((found) => seen.push(found));
    await run.result;
    expect(seen).toEqual([
      { index: 0, element: 1 },
      { index: 1, element: 2 },
      { index: 0, element: undefined },
    ]);
  });

  test('the items are as the schema makes them, the last one as soon as the list is closed', async () => {
    const doubled = z.array(z.number().transform((value) => value * 2));
    const run = agent({ name: 'doubler', model: writing(['[1, 2', ', 3]']), output: doubled }).stream('go');
    const seen: unknown[] = [];
    run.element$.subscribe((found) => seen.push(found));
    run.partial$.subscribe((value) => seen.push(value));
    const { output } = await run.result;
    const [two, four, six] = [2, 4, 6].map((element, index) => ({ index, element }));
    expect(seen).toEqual([[1], two, four, six, [1, 2, 3], [2, 4, 6]]);
    expect(output).toEqual([2, 4, 6]);
  });

  test('a rule for the whole list holds no item back', async () => {
    const pair = z.array(z.number()).min(2);
    const seen: number[] = [];
    const run = agent({ name: 'pair', model: writing(['[1, 2', ', 3]']), output: pair }).stream('go');
    run.element$.subscribe(({ index }) => seen.push(index));
    run.partial$.subscribe((value) => seen.push(-(value.length ?? 0)));
    await run.result;
    expect(seen).toEqual([-1, 0, 1, 2, -3, -3]);
  });

  test('a rule for the whole list leaves each item as its schema makes it', async () => {
    const output = z.array(z.coerce.number()).min(2);
    const run = agent({ name: 'pair', model: writing(['["1", "2"', ', "3"]']), output }).stream('go');
    const seen: unknown[] = [];
    run.element$.subscribe(({ element }) => seen.push(element));
    await run.result;
    expect(seen).toEqual([1, 2, 3]);
  });

  test('nothing comes of an output that is not a list', async () => {
    const run = reporter(writing(['{"title":"A","points":["b"]}'])).stream('go');
    const seen = lastValueFrom(run.element$.pipe(toArray()));
    await run.result;
    expect(await seen).toEqual([]);
  });
});

describe('an output that is a string', () => {
  const said = (output: z.ZodType<string>, ...pieces: readonly string[]) =>
    agent({ name: 'poet', model: writing(pieces), output });

  test.each<[string, readonly string[], string, readonly string[]]>([
    ['as it is', ['The', ' moon.'], 'The moon.', ['The', 'The moon.']],
    ['though it is JSON of another kind', ['5', '2'], '52', ['5', '52']],
    ['as JSON', [' ', '"The', ' moon."'], 'The moon.', ['The', 'The moon.']],
    ['as JSON in a fence', ['```json\n"The', ' moon."\n```'], 'The moon.', ['The', 'The moon.']],
  ])('may be written %s, and is not asked for again', async (_, pieces, output, partial) => {
    const store = memoryStore();
    const poet = said(z.string(), ...pieces);
    const run = poet.stream('go', { store, runId: 'r' });
    const seen = lastValueFrom(run.partial$.pipe(toArray()));
    expect(await run.result).toMatchObject({ status: 'completed', output });
    expect((await seen).filter((each, index, all) => each !== all[index - 1])).toEqual(partial);
    expect((await replay(poet, 'r', { store })).result?.output).toBe(output);
  });

  test('has to fit its schema all the same', async () => {
    const mood = z.enum(['glad', 'sad']);
    expect(
      (await agent({ name: 'a', model: writing(['angry'], ['glad']), output: mood }).run('go')).output,
    ).toBe('glad');
  });
});
