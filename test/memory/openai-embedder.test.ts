import { expect, test } from 'vitest';
import { openaiEmbedder } from '../../src/models/openai/openai-embedder.ts';

/** A server that embeds each text by its length, in reverse order. */
const embedding =
  (seen: unknown[], status = 200): typeof fetch =>
  (_, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '');
    seen.push(body);
    const input = typeof body === 'object' && body !== null && 'input' in body ? body.input : [];
    const texts = Array.isArray(input) ? input.map(String) : [];
    const data = texts.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: base64([text.length, 1]),
    }));
    const answer = {
      object: 'list',
      data: data.reverse(),
      model: 'm',
      usage: { prompt_tokens: 1, total_tokens: 1 },
    };
    const error = { error: { message: 'slow down', type: 'requests' } };
    return Promise.resolve(
      new Response(JSON.stringify(status === 200 ? answer : error), {
        status,
        headers: { 'content-type': 'application/json' },
      }),
    );
  };

const base64 = (values: readonly number[]): string =>
  Buffer.from(Float32Array.from(values).buffer).toString('base64');

test('texts become vectors in their order, a hundred at a time', async () => {
  const seen: unknown[] = [];
  const embedder = openaiEmbedder({ apiKey: 'k', dimensions: 2, fetch: embedding(seen) });
  const texts = Array.from({ length: 150 }, (_, at) => 'x'.repeat(at));
  const vectors = await embedder.embed(texts);
  expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length || 1));
  expect(seen).toHaveLength(2);
  expect(seen[0]).toMatchObject({ model: 'text-embedding-3-small', dimensions: 2 });
});

test('a failure has a code, and is tried by nobody below', async () => {
  const seen: unknown[] = [];
  const embedder = openaiEmbedder({ apiKey: 'k', dimensions: 2, fetch: embedding(seen, 429) });
  await expect(embedder.embed(['a'])).rejects.toMatchObject({ code: 'model.rate-limited', retryable: 'yes' });
  expect(seen).toHaveLength(1);
  const other = openaiEmbedder({ apiKey: 'k', dimensions: 3, fetch: embedding([]) });
  await expect(other.embed(['a'])).rejects.toMatchObject({ code: 'model.malformed' });
  const misspelt: object = { dimension: 512 };
  expect(() => openaiEmbedder(misspelt)).toThrow(/did you mean `dimensions`/);
});
