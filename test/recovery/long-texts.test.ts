import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { BlobStore } from '../../src/contracts/content/blob-store.ts';
import { memoryBlobs } from '../../src/contracts/content/blob-store.ts';
import type { MediaPart } from '../../src/contracts/content/part.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { calls, scriptedModel } from '../../src/testing/scripted-model.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { echo, ofType, start } from '../support/runs.ts';

const stored = async (blobs: BlobStore, whole: MediaPart | undefined): Promise<string> =>
  new TextDecoder().decode(await blobs.get(whole?.hash ?? ''));

const long = `begin ${'ü'.repeat(40_000)} end`;

describe('[TENEX-Q04] a text of the model that is too long', () => {
  test('[TENEX-83] is cut in the conversation, marked so and told, and whole in the blob store', async () => {
    const blobs = memoryBlobs();
    const model = scriptedModel([{ text: long, ...calls({ name: 'echo', input: { text: 'x' } }) }, 'done']);
    const made = agent({ name: 'a', model, tools: [echo] });
    const result = await start(made, 'go', { content: { blobs } }).result;
    const [, turn] = result.transcript;
    const whole = turn?.role === 'assistant' ? turn.whole : undefined;
    expect(whole).toMatchObject({ mediaType: 'text/plain', size: 80_010 });
    expect(await stored(blobs, whole)).toBe(long);
    expect(ofType(result.events, 'text.spilled')).toMatchObject([
      { artifact: whole?.name, characters: long.length, hash: whole?.hash },
    ]);
    const shown = model.requests[1]?.messages[1]?.text ?? '';
    expect(shown).toMatch(
      /^begin ü+\n\[cut here: characters \d+ to \d+ of 40010 are left out, read_result reads them by the id 'answer-[0-9a-f]{12}'\]\nü+ end$/,
    );
    expect(new TextEncoder().encode(shown).length).toBeLessThanOrEqual(65_536);
    // A half of the text or less would be more than had to be cut.
    expect(shown.length).toBeGreaterThan(32_000);
  });

  test('is the answer of the run as a whole', async () => {
    const model = scriptedModel([long]);
    const result = await start(agent({ name: 'a', model }), 'go').result;
    expect(result.output).toBe(long);
  });

  test('is as long as the agent says, and one that fits is left alone', async () => {
    const two = scriptedModel([
      { text: 'x'.repeat(201), ...calls({ name: 'echo', input: { text: 'x' } }) },
      { text: 'x'.repeat(200), ...calls({ name: 'echo', input: { text: 'x' } }) },
      'done',
    ]);
    const brief = agent({ name: 'a', model: two, tools: [echo], conversation: { maxTextBytes: 200 } });
    const result = await start(brief, 'go').result;
    expect(ofType(result.events, 'text.spilled')).toMatchObject([{ step: 0, characters: 201 }]);
    expect(ofType(result.events, 'text.spilled')).toHaveLength(1);
    expect(() => agent({ name: 'a', conversation: { maxTextBytes: 0 } })).toThrow('maxTextBytes');
  });

  test('is left to its provider where that wants it back as it was', async () => {
    const model = scriptedModel([
      { text: long, replay: { provider: 'x', content: 1 }, ...calls({ name: 'echo', input: { text: 'x' } }) },
      'done',
    ]);
    const result = await start(agent({ name: 'a', model, tools: [echo] }), 'go').result;
    expect(ofType(result.events, 'text.spilled')).toEqual([]);
  });
});

describe('[TENEX-Q04] a text of a tool that is too long', () => {
  test('is cut for the model and told of, and the whole of it is in the blob store and its value', async () => {
    const blobs = memoryBlobs();
    const read = tool({ name: 'read', description: 'Reads.', input: z.object({}), execute: () => long });
    const model = scriptedModel([calls({ name: 'read', input: {} }), 'done']);
    const options = { content: { blobs } };
    const result = await start(agent({ name: 'a', model, tools: [read] }), 'go', options).result;
    const [found] = result.records[0]?.results ?? [];
    expect(found).toMatchObject({ ok: true, value: long });
    expect(await stored(blobs, found?.whole)).toBe(long);
    expect(result.artifacts).toEqual([]);
    expect(ofType(result.events, 'text.spilled')).toMatchObject([
      { artifact: found?.whole?.name, characters: long.length },
    ]);
    const shown = model.requests[1]?.messages.find(({ role }) => role === 'tool')?.text ?? '';
    expect(shown).toMatch(/^begin ü+\n\[cut here: [^\]]*read-[0-9a-f]{12}'\]\nü+ end$/);
    expect(found?.text).toBe(shown);
  });

  test('a tool’s artifacts of its own are none that were put aside', async () => {
    const own = { name: 'own.txt', mediaType: 'text/plain', content: 'mine' };
    const draw = tool({
      name: 'draw',
      description: 'Draws.',
      input: z.object({}),
      execute: () => dual({ text: 'drawn', artifacts: [own] }),
    });
    const model = scriptedModel([calls({ name: 'draw', input: {} }), 'done']);
    const result = await start(agent({ name: 'a', model, tools: [draw] }), 'go').result;
    expect(ofType(result.events, 'text.spilled')).toEqual([]);
    expect(result.artifacts).toEqual([own]);
  });
});
