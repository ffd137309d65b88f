import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Content } from '../../src/contracts/content/part.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunOptions } from '../../src/contracts/runs/run-options.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { failed } from '../../src/tools/calls/tool-result.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { mockProvider } from '../support/mock-provider.ts';
import type { WireKind } from '../support/provider-streams.ts';
import { says } from '../support/wire-answers.ts';
import { base64, pdf, png, wav } from './pictures.ts';

const models: Readonly<Record<WireKind, (baseURL: string) => Model>> = {
  anthropic: (baseURL) => anthropic('claude-x', { baseURL, apiKey: 'key' }),
  'openai-responses': (baseURL) => openai('gpt-x', { baseURL, apiKey: 'key' }),
  'openai-chat': (baseURL) => openaiChat('gpt-x', { baseURL, apiKey: 'key' }),
};

/** What the provider was sent of an input. */
const sent = async (kind: WireKind, input: Content, options: RunOptions = {}): Promise<string> => {
  await using provider = await mockProvider(says(kind, 'A cat.'));
  const { output } = await agent({ name: 'seer', model: models[kind](provider.url) }).run(input, options);
  expect(output).toBe('A cat.');
  return JSON.stringify(provider.requests[0]?.body);
};

const image = base64(png());

test.each([
  ['anthropic', `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${image}"}}`],
  ['openai-responses', `{"type":"input_image","image_url":"data:image/png;base64,${image}","detail":"auto"}`],
  ['openai-chat', `{"type":"image_url","image_url":{"url":"data:image/png;base64,${image}"}}`],
] as const)(
  'an image is sent to %s in its form, between the texts that it stands between',
  async (kind, wire) => {
    const body = await sent(kind, [
      { type: 'text', text: 'What is this?' },
      { type: 'image', data: png() },
      { type: 'text', text: 'In a word.' },
    ]);
    expect(body).toContain(wire);
    expect(body.indexOf('What is this?')).toBeLessThan(body.indexOf(image));
    expect(body.indexOf(image)).toBeLessThan(body.indexOf('In a word.'));
  },
);

test.each([
  [
    'anthropic',
    `{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"${base64(pdf())}"},"title":"a.pdf"`,
  ],
  [
    'openai-responses',
    `{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,${base64(pdf())}"}`,
  ],
  [
    'openai-chat',
    `{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,${base64(pdf())}"}}`,
  ],
] as const)('a PDF is sent to %s in its form', async (kind, wire) => {
  expect(await sent(kind, [{ type: 'file', data: pdf(), name: 'a.pdf' }])).toContain(wire);
});

test('sound is sent to a server of Chat Completions in its form', async () => {
  const body = await sent('openai-chat', [{ type: 'audio', data: wav() }]);
  expect(body).toContain(`{"type":"input_audio","input_audio":{"data":"${base64(wav())}","format":"wav"}}`);
});

test.each([
  ['anthropic', '{"type":"image","source":{"type":"url","url":"https://example.com/a.png"}'],
  ['openai-responses', '{"type":"input_image","image_url":"https://example.com/a.png","detail":"auto"}'],
  ['openai-chat', '{"type":"image_url","image_url":{"url":"https://example.com/a.png"}}'],
] as const)('an image at an address stays there: %s fetches it', async (kind, wire) => {
  expect(await sent(kind, [{ type: 'image', data: 'https://example.com/a.png' }])).toContain(wire);
});

test.each([
  ['bytes', png()],
  ['a buffer', png().buffer],
  ['base64', image],
  ['a data URL', `data:image/png;base64,${image}`],
])('an image may be given as %s: the same bytes are sent', async (_, data) => {
  expect(await sent('anthropic', [{ type: 'image', data }])).toContain(image);
});

test.each([
  [
    'anthropic',
    /"type":"tool_result","tool_use_id":"[^"]+","content":"The lens broke\.\\n\\n\[image image\/png\]","is_error":true\},\{"type":"text","text":"\[result of look, call [^"]+"\},\{"type":"image"/,
  ],
  ['openai-responses', /"output":\[\{"type":"input_text","text":"The lens broke\."\},\{"type":"input_image"/],
  [
    'openai-chat',
    /"role":"tool",.*"content":"The lens broke\.\\n\\n\[image image\/png\]".*"role":"user","content":\[\{"type":"text","text":"\[result of look, call [^"]+"\},\{"type":"image_url"/,
  ],
] as const)(
  'what a tool that failed shows is sent to %s in a form that it takes: Anthropic refuses an error of more than text',
  async (kind, wire) => {
    await using provider = await mockProvider(
      says(kind, { calls: [{ name: 'look', arguments: '{}' }] }),
      says(kind, 'It is broken.'),
    );
    const look = tool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      execute: () => failed('The lens broke.', { parts: [{ type: 'image', data: png() }] }),
    });
    await agent({ name: 'seer', model: models[kind](provider.url), tools: [look] }).run('Look.');
    const body = JSON.stringify(provider.requests[1]?.body);
    expect(body).toMatch(wire);
    expect(body).toContain(image);
  },
);

test('parts that are all text are a text', async () => {
  const body = await sent('openai-chat', [
    { type: 'text', text: 'One.' },
    { type: 'text', text: 'Two.' },
  ]);
  expect(body).toContain('{"role":"user","content":"One.\\n\\nTwo."}');
});

test('a text as a file is sent as text to a model that takes no such file', async () => {
  const notes = new TextEncoder().encode('a,b\n1,2');
  const body = await sent('openai-chat', [
    { type: 'file', data: notes, mediaType: 'text/csv', name: 'notes.csv' },
  ]);
  expect(body).toContain('notes.csv:\\na,b\\n1,2');
});

test('data is sent as its JSON', async () => {
  expect(await sent('anthropic', [{ type: 'data', data: { high: 21 }, name: 'weather' }])).toContain(
    'weather: {\\"high\\":21}',
  );
});

test('a model that does not take a part is not called: the run says what was found, and what to do', async () => {
  await using provider = await mockProvider();
  const seer = agent({ name: 'seer', model: models.anthropic(provider.url) });
  const run = seer.run([{ type: 'audio', data: wav(), name: 'memo.wav' }]);
  await expect(run).rejects.toMatchObject({ code: 'model.content-refused' });
  await expect(run).rejects.toThrow(/anthropic:claude-x.*audio\/wav.*memo\.wav.*content\.convert/);
  expect(provider.requests).toEqual([]);
});

test('a converter stands in for a part that a model does not take, once in a run', async () => {
  let count = 0;
  const transcribe = (): string => {
    count += 1;
    return 'Buy milk.';
  };
  const content = { convert: { 'audio/*': transcribe } };
  const body = await sent('anthropic', [{ type: 'audio', data: wav() }], { content });
  expect(body).toContain('Buy milk.');
  expect(body).not.toContain(base64(wav()));
  expect(count).toBe(1);
});

test('a model of its own takes no media unless it says so', async () => {
  const echo: Model = {
    provider: 'own',
    id: 'echo',
    answer: () => {
      throw new Error('It must not be asked.');
    },
  };
  const run = agent({ name: 'seer', model: echo }).run([{ type: 'image', data: png() }]);
  await expect(run).rejects.toMatchObject({ code: 'model.content-refused' });
});
