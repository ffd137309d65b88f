import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { aiSdkEmbedder } from '../../src/models/ai-sdk/ai-sdk-embedder.ts';
import { openaiEmbedder } from '../../src/models/openai/openai-embedder.ts';
import { mockProvider } from '../support/mock-provider.ts';

const reply = {
  headers: { 'content-type': 'application/json' },
  pieces: [
    JSON.stringify({
      object: 'list',
      model: 'm',
      data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [index, 0.5] })),
      usage: { prompt_tokens: 2, total_tokens: 2 },
    }),
  ],
};

it('a genuine embedding model of the AI SDK gives the vectors of the adapter of our own', async () => {
  await using provider = await mockProvider(reply, reply);
  const to = { apiKey: 'sk-mock', baseURL: `${provider.url}/v1` };
  const genuine = createOpenAI(to).embedding('text-embedding-3-small');
  const theirs = aiSdkEmbedder(genuine, { dimensions: 2, providerOptions: { openai: { dimensions: 2 } } });
  const vectors = await theirs.embed(['a', 'b']);
  expect(vectors).toEqual([Float32Array.from([0, 0.5]), Float32Array.from([1, 0.5])]);
  expect(theirs.name).toBe(openaiEmbedder({ ...to, dimensions: 2 }).name);
  expect(provider.requests[0]?.body).toMatchObject({ input: ['a', 'b'], dimensions: 2 });
});
