import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Content } from '../../src/contracts/content/part.ts';
import { isMedia } from '../../src/contracts/content/part.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { journalText, memoryStore } from '../../src/persistence/index.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { replay } from '../../src/runtime/journal/replay/replay.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { base64, png } from './pictures.ts';

const KEY = 'swordfish-4711';

/** Parts that each have the secret in all of their texts. */
const parts = [
  { type: 'text', text: `It is ${KEY}.` },
  { type: 'data', data: { at: [`key ${KEY}`] } },
  { type: 'image', url: `https://pictures.example/a.png?key=${KEY}` },
  { type: 'image', data: png(), name: `${KEY}.png` },
] satisfies Content;

test('secrets in the texts, names, links and data of parts are redacted wherever people read, a model is given them, and bytes are what they were', async () => {
  const given: string[] = [];
  const bytes: string[] = [];
  const model: Model = {
    provider: 'scripted',
    id: 'eye',
    isLanguageModel: false,
    takes: { media: ['*'], links: ['*'] },
    answer: async ({ messages }, call) => {
      given.push(JSON.stringify(messages.toArray()));
      for (const part of messages.toArray().flatMap((turn) => (turn.parts ?? []).filter(isMedia)))
        bytes.push(base64((await call.bytesOf?.(part)) ?? new Uint8Array()));
      const isFirst = messages.at(-1)?.role === 'user';
      return isFirst
        ? modelAnswer({ calls: [{ id: 'c', name: 'look', input: {} }] })
        : modelAnswer({ text: 'Seen.' });
    },
  };
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: () => dual({ text: `It says ${KEY}`, parts, value: 'seen' }),
  });
  const store = memoryStore();
  const seer = agent({ name: 'seer', model, tools: [look] });
  const options = { store, runId: 'r', thread: 't', secrets: { key: KEY } };
  const { events, transcript } = await seer.run(parts, options);
  // Text, data, link and name, of the input and of the result.
  expect(given.at(-1)?.split(KEY).length).toBeGreaterThan(8);
  expect(new Set(bytes)).toEqual(new Set([base64(png())]));
  const entry = await store.entry('r');
  const exported = entry === undefined ? KEY : journalText({ entry, rows: await store.read('r') });
  const files = store.files('threads');
  const kept = await Promise.all((await files.names()).map((name) => files.read(name)));
  for (const shown of [events, kept, transcript].map((each) => JSON.stringify(each))) {
    expect(shown).not.toContain(KEY);
    expect(shown).toContain('[redacted key]');
  }
  expect(exported).not.toContain(KEY);
  expect((await replay(seer, 'r', { store, secrets: { key: KEY } })).events).toEqual(events);
});
