import { inputRequired } from '@modelcontextprotocol/server';
import type { McpServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Part } from '../../../src/contracts/content/part.ts';
import { isMedia } from '../../../src/contracts/content/part.ts';
import type { Model } from '../../../src/contracts/models/model.ts';
import { modelAnswer } from '../../../src/contracts/models/model.ts';
import type { Prices } from '../../../src/contracts/models/prices.ts';
import type { RunOptions } from '../../../src/contracts/runs/run-options.ts';
import type { RunResult } from '../../../src/contracts/runs/run-result.ts';
import { agent, resume } from '../../../src/index.ts';
import { mcpServer } from '../../../src/mcp/index.ts';
import { memoryStore } from '../../../src/persistence/index.ts';
import { base64, png, wav } from '../../content/pictures.ts';
import { mortalStore } from '../../support/mortal-store.ts';
import { served, servedToSessions } from './servers.ts';

const eras = ['2026-07-28', '2025-11-25'] as const;
type Era = (typeof eras)[number];

type Question = Parameters<typeof inputRequired.createMessage>[0];

const text = (said: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(said) }] });

/** A server of either protocol whose tool asks the model of its caller, and says what it got. */
const asking = (params: Question, era: Era) => {
  const fill = (server: McpServer): void => {
    const description = 'Thinks.';
    server.registerTool('think', { description, annotations: { readOnlyHint: true } }, async ({ mcpReq }) => {
      if (era === '2026-07-28')
        return mcpReq.inputResponses === undefined
          ? inputRequired({ inputRequests: { thought: inputRequired.createMessage(params) } })
          : text(mcpReq.inputResponses['thought']);
      const request = { method: 'sampling/createMessage', params } as const;
      return mcpReq.send(request, z.looseObject({})).then(text, ({ code, message, data }) => {
        return text({ code, message, data });
      });
    });
  };
  const options = { sampling: true };
  return era === '2026-07-28' ? served(fill, options, { legacy: 'reject' }) : servedToSessions(fill, options);
};

/** The usage of the model's first answer. */
const USAGE = { input: 1_000, output: 1_000 };

/** A model that calls the tool, answers the server by `thought`, then repeats its result; `seen` is what it was shown by the server. */
const thinker = (thought: Parameters<typeof modelAnswer>[0], takes: Model['takes'] = { media: ['*'] }) => {
  const seen: (readonly [string, ...string[]])[][] = [];
  const model: Model = {
    provider: 'scripted',
    id: 'thinker',
    takes,
    answer: async ({ messages, tools }, call) => {
      const shownAs = async (part: Part): Promise<string> => {
        if (!isMedia(part)) return part.type === 'text' ? part.text : part.type;
        return base64((await call.bytesOf?.(part)) ?? new Uint8Array());
      };
      const last = messages.at(-1);
      if (last?.role === 'tool') return modelAnswer({ text: last.text });
      if (tools.length > 0)
        return modelAnswer({ calls: [{ id: 'c', name: 'srv.think', input: {} }], usage: USAGE });
      const turns = messages.toArray();
      seen.push(
        await Promise.all(
          turns.map(
            async ({ role, text: said, parts }) =>
              [role, ...(parts === undefined ? [said] : await Promise.all(parts.map(shownAs)))] as const,
          ),
        ),
      );
      return modelAnswer(thought);
    },
  };
  return { model, seen };
};

const host = (question: Question, era: Era, model: Model) =>
  agent({ name: 'host', model, tools: [mcpServer(asking(question, era))] });

const ask = (question: Question, era: Era, model: Model, options: RunOptions = {}) =>
  host(question, era, model).run('go', options);

const firstOf = ({ records }: RunResult<unknown>) => records[0]?.results[0];

/** What the server says that it was answered. */
const heardBy = (result: RunResult<unknown>): unknown => JSON.parse(firstOf(result)?.text ?? 'null');

const image = { type: 'image', data: base64(png(8, 8)), mimeType: 'image/png' } as const;
const audio = { type: 'audio', data: base64(wav()), mimeType: 'audio/wav' } as const;

const question: Question = {
  maxTokens: 20,
  messages: [
    { role: 'user', content: image },
    { role: 'assistant', content: [{ type: 'text', text: 'A cat, like this:' }, image] },
    {
      role: 'user',
      content: [{ type: 'text', text: 'And this?' }, audio, { type: 'text', text: 'A word.' }],
    },
  ],
};

/** What the model is shown of that. */
const shown = [
  ['user', image.data],
  ['assistant', 'A cat, like this:\n[image image/png]'],
  ['user', 'What the message before this one shows:', image.data],
  ['user', 'And this?', audio.data, 'A word.'],
];

test.each(eras)(
  'pictures and sound of the messages of a server of %s reach the model as parts, in their order',
  async (era) => {
    const { model, seen } = thinker({ text: 'Meow.' });
    const store = memoryStore();
    const result = await ask(question, era, model, { store, runId: 'r' });
    expect(seen).toEqual([shown]);
    expect(heardBy(result)).toMatchObject({ content: { type: 'text', text: 'Meow.' } });
    const rows = (await store.read('r')).map(({ text: row }) => row).join('\n');
    for (const { data } of [image, audio]) expect(rows).not.toContain(data);
  },
);

test.each<{ readonly era: Era; readonly said: string; readonly content: unknown }>([
  { era: '2026-07-28', said: '', content: image },
  { era: '2026-07-28', said: 'A cat.', content: [{ type: 'text', text: 'A cat.' }, image] },
  { era: '2025-11-25', said: '', content: image },
  { era: '2025-11-25', said: 'A cat.', content: image },
])(
  'a picture that the model makes goes back to a server of $era as one, where the model says "$said"',
  async ({ era, said, content }) => {
    const { model } = thinker({ text: said, media: [{ type: 'image', data: png(8, 8) }] });
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Paint.' } }];
    expect(heardBy(await ask({ maxTokens: 20, messages }, era, model))).toMatchObject({ content });
  },
);

const refusals = [
  {
    what: 'of a type that the model does not take',
    takes: { media: ['image/*'] },
    content: {},
    code: 'model.content-refused',
    says: /does not take audio\/wav/,
  },
  {
    what: 'of a type that the run does not take',
    takes: { media: ['*'] },
    content: { mediaTypes: ['image/*'] },
    code: 'content.refused',
    says: /audio\/wav is not among/,
  },
  {
    what: 'too large for the run',
    takes: { media: ['*'] },
    content: { maxBytes: 63 },
    code: 'content.too-large',
    says: /at most 63/,
  },
] as const;

test.each(refusals)(
  'media $what refuse the server, which reads why, or fail its call where the protocol knows no refusal',
  async ({ takes, content, code, says }) => {
    const { model, seen } = thinker({ text: 'Meow.' }, takes);
    const older2025 = await ask(question, '2025-11-25', model, { content });
    expect(heardBy(older2025)).toEqual({
      code: -32_602,
      message: expect.stringMatching(says),
      data: { code },
    });
    const newer = await ask(question, '2026-07-28', model, { content });
    expect(firstOf(newer)).toMatchObject({
      ok: false,
      error: { code, message: expect.stringMatching(says) },
    });
    expect([older2025.status, newer.status, seen]).toEqual(['completed', 'completed', []]);
  },
);

test('a run that dies while its model answers a server shows it the same pictures when it is resumed', async () => {
  let isOver = false;
  let at = 0;
  while (!isOver) {
    at += 1;
    const store = memoryStore();
    const { store: mortal, died } = mortalStore(store, { at, isDone: at % 2 === 0 });
    const first = thinker({ text: 'Meow.' });
    const dying = host(question, '2026-07-28', first.model).stream('go', { store: mortal, runId: 'r' });
    dying.result.catch(() => undefined);
    isOver = await Promise.race([died.then(() => false), dying.result.then(() => true)]);
    const rows = (await store.entry('r')) === undefined ? [] : await store.read('r');
    if (isOver || rows.length === 0) continue;
    const again = thinker({ text: 'Meow.' });
    const resumed = await resume(host(question, '2026-07-28', again.model), 'r', {
      store: mortalStore(store).store,
    });
    const result = await resumed.result;
    expect(result.output).toContain('Meow.');
    // Where the answer is on record, no model is asked.
    expect(again.seen.at(-1) ?? shown).toEqual(shown);
  }
  expect(at).toBeGreaterThan(8);
});

const prices: Prices = { name: 'flat', cost: (_, { input, output }) => (input + output) / 1_000 };

test.each([
  { budget: 'tokens', limits: { tokens: 1_500 }, says: /2000 of 1500 \(`tokens`\)/ },
  { budget: 'usd', limits: { usd: 1.5 }, says: /2 of 1.5 \(`usd`\)/ },
  { budget: 'steps', limits: { steps: 1 }, says: /1 of 1 \(`steps`\)/ },
])(
  'a run whose budget of $budget is spent answers no server: it is refused, and the run ends by its budget',
  async ({ budget, limits, says }) => {
    const { model, seen } = thinker({ text: 'Meow.' });
    const options = { prices, limits: { budget: limits } };
    const message = expect.stringMatching(says);
    const older2025 = await ask(question, '2025-11-25', model, options);
    expect(heardBy(older2025)).toEqual({ code: -1, message, data: { code: 'budget.spent' } });
    const newer = await ask(question, '2026-07-28', model, options);
    expect(firstOf(newer)).toMatchObject({ ok: false, error: { code: 'budget.spent', message } });
    expect(seen).toEqual([]);
    for (const { status, stopReason } of [older2025, newer])
      expect([status, stopReason]).toMatchObject(['stopped', { kind: 'budget', budget }]);
  },
);

test.each(eras)(
  'an answer to a server of %s is no tool call: it is given within the last that a budget allows',
  async (era) => {
    const { model, seen } = thinker({ text: 'Meow.' });
    const result = await ask(question, era, model, { limits: { budget: { toolCalls: 1 } } });
    expect(heardBy(result)).toMatchObject({ content: { text: 'Meow.' } });
    expect([result.status, seen]).toEqual(['completed', [shown]]);
    const refused = await ask(question, era, model, { limits: { budget: { toolCalls: 0 } } });
    expect(firstOf(refused)).toMatchObject({ ok: false, error: { code: 'budget.spent' } });
    expect([refused.stopReason, seen]).toMatchObject([{ kind: 'budget', budget: 'toolCalls' }, [shown]]);
  },
);
