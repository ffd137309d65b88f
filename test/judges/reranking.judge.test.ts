import { createCohere } from '@ai-sdk/cohere';
import { expect, it } from 'vitest';
import { vectorMemory } from '../../src/memory/memories/vector-memory.ts';
import { aiSdkReranker } from '../../src/models/ai-sdk/ai-sdk-reranker.ts';
import { mockProvider } from '../support/mock-provider.ts';

const reply = {
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      id: 'r-1',
      results: [
        { index: 1, relevance_score: 0.9 },
        { index: 0, relevance_score: 0.2 },
      ],
      meta: {},
    }),
  ],
};

it('a genuine reranking model of the AI SDK selects what a memory recalls', async () => {
  await using provider = await mockProvider(reply);
  const cohere = createCohere({ apiKey: 'mock', baseURL: `${provider.url}/v2` });
  const reranker = aiSdkReranker(cohere.reranking('rerank-v3.5'));
  expect(reranker.name).toBe('cohere:rerank-v3.5');
  const memory = await vectorMemory({ reranker }).open({ runId: 'r', agent: 'ada' });
  await memory.append(['tea', 'green tea'].map((text, at) => ({ kind: 'note', text, at })));
  expect((await memory.recall('tea', 1)).map(({ text }) => text)).toEqual(['green tea']);
  expect(provider.requests[0]?.body).toMatchObject({
    model: 'rerank-v3.5',
    query: 'tea',
    documents: ['tea', 'green tea'],
    top_n: 1,
  });
});
