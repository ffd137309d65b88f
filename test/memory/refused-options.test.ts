import { expect, test } from 'vitest';
import type { Embedder, KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import { hashingEmbedder } from '../../src/memory/memories/hashing-embedder.ts';
import { insightMemory } from '../../src/memory/memories/insight-memory.ts';
import { keyValueMemory } from '../../src/memory/memories/key-value-memory.ts';
import { notesMemory } from '../../src/memory/memories/notes-memory.ts';
import { recall } from '../../src/memory/memories/recall.ts';
import { summaryMemory } from '../../src/memory/memories/summary-memory.ts';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { windowMemory } from '../../src/memory/memories/window-memory.ts';
import { summariseOlder } from '../../src/memory/processors/summarise-older.ts';
import { threads } from '../../src/memory/threads/threads.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { memoryStore } from '../../src/persistence/memory-store.ts';

const newFiles = (): KeyValueFiles => memoryStore().files('kept');

test.each<[make: (options: object) => unknown, given: object, problem: string]>([
  [windowMemory, { siez: 3 }, 'a window memory as its option `siez` is unknown: did you mean `size`?'],
  [summaryMemory, { sumariser: 1 }, 'did you mean `summariser`?'],
  [vectorMemory, { embeder: 1 }, 'did you mean `embedder`?'],
  [notesMemory, { file: 1 }, 'did you mean `files`?'],
  [keyValueMemory, { scopes: 1 }, 'did you mean `scope`?'],
  [insightMemory, { files: newFiles() }, 'its option `files` is unknown: there are name, scope, size'],
  [hashingEmbedder, { dimension: 64 }, 'did you mean `dimensions`?'],
  [(options) => summariseOlder(4, options), { strid: 2 }, 'did you mean `stride`?'],
  [(options) => threads(newFiles(), options), { tilte: 2 }, 'did you mean `title`?'],
  [windowMemory, { size: -1 }, 'its size is not a number from 0: found -1'],
  [windowMemory, { scope: 'user' }, "its scope is not one of run, agent, thread, shared: found 'user'"],
  [
    notesMemory,
    { files: './notes' },
    "its files is not file storage: found './notes', write folderStore('./memory')",
  ],
  [
    vectorMemory,
    { embedder: 'openai:small' },
    "its embedder is not an embedder: found 'openai:small', write",
  ],
  [vectorMemory, { reranker: 'rerank-v3.5' }, "its reranker is not a reranker: found 'rerank-v3.5', write"],
  [vectorMemory, { reranker: { doRerank: 1 } }, 'write aiSdkReranker(model)'],
  [vectorMemory, { embedder: { doEmbed: 1 } }, 'write aiSdkEmbedder(model, { dimensions: 1_536 })'],
  [vectorMemory, { embedder: { ...hashingEmbedder(), dimensions: 1.5 } }, 'its embedder.dimensions is not a'],
])('options that a memory does not have are refused: %o %o', (make, given, problem) => {
  expect(() => make(given)).toThrow(problem);
});

test('a recall refuses options and kinds of records that there are not', async () => {
  const misspelt: object = { K: 3, is: 1 };
  await expect(recall(undefined, 'code', misspelt)).rejects.toThrow(
    /option `K` is unknown: did you mean `k`/,
  );
  const kinds: unknown = ['facts'];
  expect(() =>
    agent({ name: 'ada', memory: { sources: windowMemory(), recall: { kinds: kinds as ['fact'] } } }),
  ).toThrow(/recall\.kinds\[0\] is not one of task, .*fact.*: found 'facts'/);
});

/** An embedder that returns whatever it is given to return. */
const giving = (vectors: unknown, name = 'mine'): Embedder => ({
  name,
  dimensions: 2,
  embed: () => vectors as Float32Array[],
});

test.each<[given: unknown, problem: string]>([
  [[[1, Number.NaN]], 'vector 1 of 1 has NaN at position 1: return finite numbers'],
  [[[1, 1e39]], 'vector 1 of 1 has Infinity at position 1'],
  [[[1, 2, 3]], '1 of length 2 were requested, but 1 of length 3 came: set its `dimensions` to 3'],
  [[], '1 of length 2 were requested, but 0 of length none came: return one for each text'],
  [
    [
      [1, 2],
      [3, 4],
    ],
    'but 2 of length 2 came: return one for each text',
  ],
  [[undefined], 'but 1 of length 0 came'],
  [{ embeddings: [] }, 'they are not a list: found'],
])('vectors that do not fit are an error, and nothing of them is remembered: %o', async (given, problem) => {
  const memory = await vectorMemory({ embedder: giving(given) }).open({ runId: 'r', agent: 'ada' });
  const written = Promise.resolve(memory.append([{ kind: 'fact', text: 'the code is 7', at: 0 }]));
  await expect(written).rejects.toMatchObject({
    code: 'model.malformed',
    message: expect.stringMatching(/^Cannot use the embeddings of mine as /),
  });
  await expect(written).rejects.toThrow(problem);
  expect(await memory.summarise()).toBe('');
});

test('a query whose vector does not fit is an error, and lists of numbers are vectors, too', async () => {
  let vector: readonly number[] = [1, 0];
  const embedder = { ...giving([]), embed: () => [vector] as unknown as Float32Array[] };
  const memory = await vectorMemory({ embedder }).open({ runId: 'r', agent: 'ada' });
  await memory.append([{ kind: 'fact', text: 'the code is 7', at: 0 }]);
  expect(await memory.recall('code')).toHaveLength(1);
  vector = [1];
  await expect(Promise.resolve(memory.recall('codes'))).rejects.toMatchObject({ code: 'model.malformed' });
});

test('stored vectors that no longer fit their embedder are recomputed', async () => {
  const files = newFiles();
  const place = { runId: 'r', agent: 'ada' };
  const first = await vectorMemory({ files, embedder: giving([[1, 0]]) }).open(place);
  await first.append([{ kind: 'fact', text: 'the code is 7', at: 0 }]);
  const longer = { ...giving([[1, 0, 0]]), dimensions: 3 };
  const second = await vectorMemory({ files, embedder: longer }).open(place);
  expect(await second.recall('code')).toMatchObject([{ text: 'the code is 7' }]);
});
