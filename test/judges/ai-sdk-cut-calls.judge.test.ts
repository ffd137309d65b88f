import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { expect, it } from 'vitest';
import { aiSdk } from '../../src/models/ai-sdk/ai-sdk.ts';
import { cutCases, item, runWithout } from '../support/cut-calls.ts';
import { strictMessages, strictResponses } from '../support/strict-replays.ts';

const options = { stream: false };

it.each(cutCases)('OpenAI takes an answer back without %s', async (_, output, without, left) => {
  await using provider = await strictResponses([output, [item.words('msg_9', 'Rain.')]]);
  const model = createOpenAI({ apiKey: 'k', baseURL: provider.url }).responses('gpt-5.5');
  expect(await runWithout(aiSdk(model, options), without)).toMatchObject({ output: 'Rain.' });
  const sent = JSON.stringify(provider.requests[1]?.body['input']);
  for (const city of without) expect(sent).not.toContain(city);
  // All reasoning that its provider takes is there.
  for (const id of left.filter((name) => name.startsWith('rs_'))) expect(sent).toContain(`sealed ${id}`);
});

it('Anthropic takes an answer back without one of its calls, and with what was thought before the other', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'sealed' };
  const call = (city: string) => ({
    type: 'tool_use',
    id: `toolu_${city}`,
    name: 'weather',
    input: { city },
  });
  const answers = [[thought, call('Bonn'), call('Köln')], [{ type: 'text', text: 'Rain.' }]];
  await using provider = await strictMessages(answers);
  const model = createAnthropic({ apiKey: 'k', baseURL: provider.url })('claude-sonnet-4-5');
  expect(await runWithout(aiSdk(model, options), ['Bonn'])).toMatchObject({ output: 'Rain.' });
  expect(provider.requests[1]?.body['messages']).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [thought, { type: 'tool_use', input: { city: 'Köln' } }] },
    { role: 'user' },
  ]);
});
