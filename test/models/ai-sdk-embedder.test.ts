import { expect, test } from 'vitest';
import { aiSdkEmbedder } from '../../src/models/ai-sdk/ai-sdk-embedder.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkEmbeddingModel } from '../../src/models/ai-sdk/language-model.ts';

type EmbedCall = Parameters<AiSdkEmbeddingModel['doEmbed']>[0];

/** A model that embeds each text by its length, in two numbers. */
const byLength = (
  embed: (call: EmbedCall) => readonly (readonly number[])[] = ({ values }) =>
    values.map((text) => [text.length, 1]),
  max: AiSdkEmbeddingModel['maxEmbeddingsPerCall'] = 3,
) => {
  const calls: EmbedCall[] = [];
  const model: AiSdkEmbeddingModel = {
    specificationVersion: 'v3',
    provider: 'acme.embedding',
    modelId: 'e-1',
    maxEmbeddingsPerCall: max,
    doEmbed: async (call) => {
      calls.push(call);
      return { embeddings: embed(call) };
    },
  };
  return { model, calls };
};

test('texts become vectors in their order, as many at a time as the model takes', async () => {
  const { model, calls } = byLength(undefined, Promise.resolve(3));
  const options = { providerOptions: { acme: { task: 'search' } }, headers: { 'x-team': 'a' } };
  const embedder = aiSdkEmbedder(model, { dimensions: 2, ...options });
  const { signal } = new AbortController();
  const vectors = await embedder.embed(['', 'a', 'bb', 'ccc'], signal);
  expect(vectors).toEqual([1, 1, 2, 3].map((length) => Float32Array.from([length, 1])));
  expect(calls).toEqual([
    { values: [' ', 'a', 'bb'], abortSignal: signal, ...options },
    { values: ['ccc'], abortSignal: signal, ...options },
  ]);
  expect(embedder).toMatchObject({ name: 'acme:e-1:2', dimensions: 2 });
});

test('vectors of another length or number are refused, and a failure has a code', async () => {
  const embed = (...found: Parameters<typeof byLength>): Promise<unknown> =>
    Promise.resolve(aiSdkEmbedder(byLength(...found).model, { dimensions: 2 }).embed(['a', 'b']));
  const lengths = /2 of length 2 were requested, but 2 of length 2, 3 came/;
  await expect(
    embed(() => [
      [1, 2],
      [1, 2, 3],
    ]),
  ).rejects.toThrow(lengths);
  const longer = embed(({ values }) => values.map(() => [1, 2, 3]));
  await expect(longer).rejects.toThrow(/set its `dimensions` to 3/);
  await expect(embed(() => [[1, 2]])).rejects.toMatchObject({ code: 'model.malformed' });
  const busy = Object.assign(new Error('slow down'), { statusCode: 429 });
  const failing = (): never => {
    throw busy;
  };
  await expect(embed(failing)).rejects.toMatchObject({ code: 'model.rate-limited', retryable: 'yes' });
});

test('the two kinds of models are told apart', () => {
  const { model } = byLength();
  const language: object = { provider: 'a', modelId: 'b', specificationVersion: 'v3', doStream: () => {} };
  expect(() => aiSdkEmbedder(language as never, { dimensions: 2 })).toThrow(/no `doEmbed`/);
  expect(() => aiSdk(model as never)).toThrow(/use `aiSdkEmbedder`/);
  expect(() => aiSdkEmbedder(model, undefined as never)).toThrow(/its options are not an object/);
  expect(() => aiSdkEmbedder(model, { dimensions: 0 })).toThrow(
    /dimensions is not a whole number from 1: found 0/,
  );
  const misspelt: object = { dimensions: 2, header: {} };
  expect(() => aiSdkEmbedder(model, misspelt as never)).toThrow(/did you mean `headers`/);
});

test('a model of another specification is refused when the embedder is made', () => {
  const old = { ...byLength().model, specificationVersion: 'v1' };
  expect(() => aiSdkEmbedder(old, { dimensions: 2 })).toThrow(
    "its specification is 'v1' (of AI SDK 4: update its package): give one of version v2, v3, v4",
  );
  expect(() => aiSdkEmbedder('text-embedding-3-small' as never, { dimensions: 2 })).toThrow(
    "it is 'text-embedding-3-small': give one of version",
  );
});
