// An image question: a picture in the input, one from a tool, and what is stored of them.
//
//   npx tsx examples/35-an-image-question.ts
import assert from 'node:assert/strict';
import { agent, dual, tool } from 'troupe';
import { memoryStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

// A PNG of one pixel. An app has bytes from a file, an upload or a `data:` URL: each will do.
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const zoom = tool({
  name: 'zoom',
  description: 'Enlarge a part of the picture.',
  input: z.object({ part: z.string() }),
  // The model is shown the picture, the program gets the value.
  execute: ({ part }) =>
    dual({ text: `The ${part}:`, parts: [{ type: 'image', data: pixel, name: `${part}.png` }], value: part }),
});

// In place of a model that sees: it looks at the bytes that a provider would be sent.
const model = scriptedModel([
  calls({ name: 'zoom', input: { part: 'corner' } }),
  async ({ messages }, { bytesOf }) => {
    const images = messages.flatMap(({ parts = [] }) => parts).filter((part) => 'hash' in part);
    const sizes = await Promise.all(images.map(async (image) => (await bytesOf?.(image))?.length));
    return `I see ${images.map(({ name }) => name).join(' and ')}, of ${sizes.join(' and ')} bytes.`;
  },
]);

const store = memoryStore();
const { output } = await agent({ name: 'seer', model, tools: [zoom] }).run(
  [
    { type: 'text', text: 'What is in the corner?' },
    { type: 'image', data: `data:image/png;base64,${pixel}`, name: 'photo.png' },
  ],
  { store, runId: 'look', content: { mediaTypes: ['image/*'], maxBytes: 1_000_000 } },
);
console.log(output); // => I see photo.png and corner.png, of 70 and 70 bytes.
assert.equal(output, 'I see photo.png and corner.png, of 70 and 70 bytes.');

// The journal has references; the bytes are beside it, once, as both pictures are equal.
const rows = (await store.read('look')).map(({ text }) => text).join('\n');
assert.ok(!rows.includes(pixel));
assert.equal((await store.files('blobs').names()).length, 1);

// What is no image does not come in, and says why.
await assert.rejects(
  agent({ name: 'seer', model }).run([{ type: 'image', data: btoa('%PDF-1.7') }]),
  /Cannot take part 1 as it is no image: its bytes are those of application\/pdf/,
);
