import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { agent, tool } from '../../../src/index.ts';
import { memoryStore } from '../../../src/persistence/memory-store.ts';
import { datasets } from '../../../src/testing/datasets/datasets.ts';
import { feedback } from '../../../src/testing/datasets/feedback.ts';
import { calls, scriptedModel } from '../../../src/testing/scripted-model.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-datasets-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const read = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return datasets.file(file).read();
};

describe('a dataset of a file', () => {
  test('is JSON Lines, a JSON list or CSV, and the same cases', async () => {
    const whole = [
      { id: 'fr', input: 'The capital of France?', expected: 'Paris', label: true, tags: ['europe', 'easy'] },
      { id: '2', input: 'Of "Peru", please', expected: 'Lima, of course', metadata: { source: 'mail' } },
    ];
    const lines = await read('a.jsonl', `${whole.map((each) => JSON.stringify(each)).join('\n')}\n\n`);
    expect(lines).toEqual(whole);
    expect(await read('a.json', JSON.stringify(whole))).toEqual(whole);
    const table = [
      '\ufeffid,input,expected,label,tags,metadata.source',
      'fr,The capital of France?,Paris,good,europe;easy,',
      '2,"Of ""Peru"", please","Lima, of course",,,mail',
      '',
    ];
    expect(await read('a.csv', table.join('\r\n'))).toEqual(whole);
    expect(await datasets.file(pathToFileURL(join(folder, 'a.json'))).read()).toEqual(whole);
  });

  test('numbers cases without an id, reads calls, and structures in cells', async () => {
    expect(await read('b.csv', 'input,calls,output\n"{""a"": 1}",search;pay,"two\nlines"\n7,,')).toEqual([
      { id: '1', input: { a: 1 }, calls: [{ tool: 'search' }, { tool: 'pay' }], output: 'two\nlines' },
      { id: '2', input: '7' },
    ]);
  });

  test.each([
    ['c.txt', 'x', 'its ending is not one of .jsonl'],
    ['c.jsonl', '', 'has no case'],
    ['c.jsonl', '{"input": 1}\n{', 'line 2 of .* as it is no JSON'],
    ['c.jsonl', '{"inputs": 1}', 'did you mean `input`'],
    ['c.jsonl', '{"input": 1, "colour": "red"}', 'put it into `metadata`'],
    ['c.jsonl', '{"expected": 1}', "its field 'input' is missing"],
    ['c.jsonl', '{"input": 1, "label": "good"}', "its field 'label' is wrong"],
    ['c.jsonl', '[1]', 'it is not an object'],
    ['c.jsonl', '{"id":"a","input":1}\n{"id":"a","input":2}', "its id 'a' is that of line 1"],
    ['c.json', '{"input": 1}', 'it is not a list of cases'],
    ['c.csv', 'question,answer\na,b', "names no column 'input': found question, answer"],
    ['c.csv', 'input,expected\na,b,c', 'line 2 .* 3 cells for 2 columns'],
    ['c.csv', 'input\n"a', 'no quote ends its cell'],
    ['c.csv', 'input\n"a"b', 'text follows a quote'],
    ['c.csv', 'input,label\na,perhaps', 'neither good nor bad'],
  ])('%s with %j is refused, with the place', async (name, text, message) => {
    await expect(read(name, text)).rejects.toThrow(new RegExp(message));
  });

  test('that is not there is refused with its name', async () => {
    await expect(datasets.file(join(folder, 'none.json')).read()).rejects.toMatchObject({
      code: 'input.invalid',
      message: expect.stringContaining('none.json'),
    });
  });
});

const look = tool({
  name: 'look',
  description: 'Looks.',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => `It is ${at}.`,
});

const storeWithRuns = async () => {
  const store = memoryStore();
  const clerk = agent({
    name: 'clerk',
    tools: [look],
    model: scriptedModel([calls({ name: 'look', input: { at: 'noon' } }), 'Paris', 'Rome', 'Lima']),
  });
  for (const [runId, input] of [
    ['fr', 'Of France?'],
    ['it', 'Of Italy?'],
    ['pe', 'Of Peru?'],
  ] as const)
    await clerk.run(input, { store, runId });
  return store;
};

describe('a dataset of stored runs', () => {
  test('has their inputs, the earliest first, and expects what people corrected or found good', async () => {
    const store = await storeWithRuns();
    await feedback.add(store, 'fr', { good: true, by: 'Ada' });
    await feedback.add(store, 'it', { good: false, expected: 'Roma', evaluator: undefined });
    expect(await datasets.runs({ store, agent: 'clerk' }).read()).toEqual([
      {
        id: 'fr',
        input: 'Of France?',
        expected: 'Paris',
        label: true,
        metadata: { feedback: ['good (Ada)'] },
      },
      { id: 'it', input: 'Of Italy?', expected: 'Roma', label: false, metadata: { feedback: ['bad'] } },
      { id: 'pe', input: 'Of Peru?' },
    ]);
    const ids = async (wanted: 'any' | 'good' | 'bad') =>
      (await datasets.runs({ store, feedback: wanted }).read()).map(({ id }) => id);
    expect([await ids('any'), await ids('good'), await ids('bad')]).toEqual([['fr', 'it'], ['fr'], ['it']]);
    expect((await datasets.runs({ store, limit: 1 }).read()).map(({ id }) => id)).toEqual(['pe']);
    await expect(datasets.runs({ store, agent: 'nobody' }).read()).rejects.toThrow("no run of 'nobody'");
  });

  test('has feedback bound to a step and a call, which is no verdict on the run', async () => {
    const store = await storeWithRuns();
    await feedback.add(store, 'fr', { good: false, step: 0, callId: 'call_0_0', comment: 'Why look?' });
    await feedback.add(store, 'fr', { good: true, evaluator: 'polite' });
    const [first] = await datasets.runs({ store, runs: ['fr'] }).read();
    expect(first).toMatchObject({
      labels: { polite: true },
      metadata: { feedback: ['bad step 0 call_0_0 Why look?', 'good'] },
    });
    expect(first).not.toHaveProperty('label');
  });

  test('keeps the newest verdict, forgets it when it is removed, and passes over what it cannot read', async () => {
    const store = await storeWithRuns();
    await feedback.add(store, 'fr', { good: false });
    await store.files('feedback').append('fr', '{"half\n');
    await feedback.add(store, 'fr', { good: true });
    expect((await feedback.of(store, 'fr')).map(({ good }) => good)).toEqual([false, true]);
    expect((await datasets.runs({ store, runs: ['fr'] }).read())[0]?.label).toBe(true);
    await feedback.remove(store, 'fr');
    expect(await feedback.of(store, 'fr')).toEqual([]);
  });

  test.each([
    ['none', { good: true }, 'it is not in memory'],
    ['fr', {}, 'give one of them'],
    ['fr', { good: true, step: 7 }, 'it has no step 7'],
    ['fr', { good: true, callId: 'call_9_9' }, "it has no call 'call_9_9'"],
    ['fr', { good: true, path: 'desk' }, "it has no agent at 'desk'"],
    ['fr', { god: true }, 'did you mean `good`'],
  ])('refuses feedback on what is not on record: %s %j', async (runId, given, message) => {
    const store = await storeWithRuns();
    await expect(async () => Reflect.apply(feedback.add, undefined, [store, runId, given])).rejects.toThrow(
      message,
    );
  });
});
