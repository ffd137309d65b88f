import { expect, test } from 'vitest';
import { aiSdkEmbedder } from '../../src/models/ai-sdk/ai-sdk-embedder.ts';
import { aiSdkReranker } from '../../src/models/ai-sdk/ai-sdk-reranker.ts';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import type { AiSdkRerankingModel } from '../../src/models/ai-sdk/language-model.ts';

type RerankCall = Parameters<AiSdkRerankingModel['doRerank']>[0];

const reranking = (ranking: readonly { readonly index: number }[] | Error = [{ index: 1 }, { index: 0 }]) => {
  const calls: RerankCall[] = [];
  const model: AiSdkRerankingModel = {
    specificationVersion: 'v3',
    provider: 'acme.reranking',
    modelId: 'r-1',
    doRerank: async (call) => {
      calls.push(call);
      if (ranking instanceof Error) throw ranking;
      return { ranking };
    },
  };
  return { model, calls };
};

test('texts are sent once, truncated, with what was set, and indexes come back in the order of the model', async () => {
  const { model, calls } = reranking();
  const options = { providerOptions: { acme: { truncate: true } }, headers: { 'x-team': 'a' } };
  const reranker = aiSdkReranker(model, { candidates: 7, ...options });
  const { signal } = new AbortController();
  expect(await reranker.rank('tea?', ['a', 'b'.repeat(30_000)], 2, signal)).toEqual([1, 0]);
  const documents = { type: 'text', values: ['a', 'b'.repeat(20_000)] };
  expect(calls).toEqual([{ query: 'tea?', documents, topN: 2, abortSignal: signal, ...options }]);
  expect(reranker).toMatchObject({ name: 'acme:r-1', candidates: 7 });
  await aiSdkReranker(model).rank('tea?', ['a', 'b'], 1);
  expect(Object.keys(calls[1] ?? {}).sort()).toEqual(['documents', 'query', 'topN']);
});

test('a failure of the model has a code', async () => {
  const busy = Object.assign(new Error('slow down'), { statusCode: 429 });
  const asked = Promise.resolve(aiSdkReranker(reranking(busy).model).rank('tea?', ['a'], 1));
  await expect(asked).rejects.toMatchObject({ code: 'model.rate-limited', retryable: 'yes' });
});

test('what is not a reranking model is refused, with what to use, and so are options that there are not', () => {
  const { model } = reranking();
  expect(() => aiSdk(model as never)).toThrow(/use `aiSdkReranker`/);
  expect(() => aiSdkEmbedder(model as never, { dimensions: 2 })).toThrow(/no `doEmbed`/);
  expect(() => aiSdkReranker({ ...model, doRerank: undefined } as never)).toThrow(/no `doRerank`/);
  expect(() => aiSdkReranker({ ...model, specificationVersion: 'v1' })).toThrow(/its specification is 'v1'/);
  expect(() => aiSdkReranker('rerank-v3.5' as never)).toThrow(
    "it is 'rerank-v3.5': give one of version v3, v4",
  );
  const misspelt: object = { candidate: 3 };
  expect(() => aiSdkReranker(model, misspelt as never)).toThrow(/did you mean `candidates`/);
  expect(() => aiSdkReranker(model, { candidates: 0 })).toThrow(/candidates is not a whole number from 1/);
});
