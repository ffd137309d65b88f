import { describe, expect, it } from 'vitest';
import { isJsonObject, toJson } from '../../src/base/json/json.ts';
import { anthropic } from '../../src/models/anthropic/anthropic.ts';
import { openai } from '../../src/models/openai/openai.ts';
import { openaiChat } from '../../src/models/openai/openai-chat.ts';
import { cutCases, item, runWithout } from '../support/cut-calls.ts';
import { event, mockProvider, type SeenRequest } from '../support/mock-provider.ts';
import { says } from '../support/wire-answers.ts';
import { strictMessages, strictResponses, textOf } from '../support/strict-replays.ts';

const last = [item.words('msg_9', 'Rain.')];

/** The answer that was sent back, by short names. */
const sentBack = (request: SeenRequest | undefined): readonly string[] => {
  const input = toJson(request?.body['input']);
  return (Array.isArray(input) ? input : []).filter(isJsonObject).flatMap((each) => {
    const { type, id, role, content } = each;
    if (type === 'function_call') return [`call ${textOf(each['arguments']).replace(/.*:"|"}/g, '')}`];
    if (typeof id === 'string') return [id];
    return role === 'assistant' ? [`said ${textOf(content)}`] : [];
  });
};

describe('[P18] an answer of which calls were removed goes back to OpenAI without what it would refuse', () => {
  it.each(cutCases)('%s', async (_, output, without, left) => {
    await using provider = await strictResponses([output, last]);
    const model = openai('gpt-5.5', { apiKey: 'k', baseURL: provider.url });
    expect(await runWithout(model, without)).toMatchObject({ status: 'completed', output: 'Rain.' });
    expect(sentBack(provider.requests[1])).toEqual(left);
  });

  it('and whole where none was', async () => {
    const [, output] = cutCases[4] ?? ['', []];
    await using provider = await strictResponses([output, last]);
    const model = openai('gpt-5.5', { apiKey: 'k', baseURL: provider.url });
    expect(await runWithout(model, [])).toMatchObject({ status: 'completed' });
    expect(sentBack(provider.requests[1])).toEqual([
      'rs_1',
      'ws_1',
      'rs_2',
      'msg_1',
      'call Bonn',
      'call Köln',
    ]);
  });
});

describe('[P18] an answer of which calls were removed goes back to Anthropic without what it would refuse', () => {
  const thought = (text: string) => ({ type: 'thinking', thinking: text, signature: `sealed ${text}` });
  const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'weather' } };
  const found = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  const words = { type: 'text', text: 'Two cities.' };
  const call = (city: string) => ({
    type: 'tool_use',
    id: `toolu_${city}`,
    name: 'weather',
    input: { city },
  });

  it.each([
    [
      'a call before another',
      [thought('a'), call('Bonn'), call('Köln')],
      ['Bonn'],
      [thought('a'), call('Köln')],
    ],
    [
      'a call without thoughts, after a search',
      [search, found, words, call('Bonn'), call('Köln')],
      ['Köln'],
      [search, found, words, call('Bonn')],
    ],
    [
      'all calls after words',
      [thought('a'), search, found, words, thought('b'), call('Bonn')],
      ['Bonn'],
      [thought('a'), search, found, words],
    ],
  ])('%s', async (_, blocks, without, left) => {
    await using provider = await strictMessages([blocks, [{ type: 'text', text: 'Rain.' }]]);
    const model = anthropic('claude-sonnet-4-5', { apiKey: 'k', baseURL: provider.url });
    expect(await runWithout(model, without)).toMatchObject({ status: 'completed', output: 'Rain.' });
    const messages = provider.requests[1]?.body['messages'] as { content: object[] }[];
    const ids = (text: string): string => text.replaceAll(/"id":"(toolu|call)_[^"]*"/g, '"id":"ours"');
    expect(ids(JSON.stringify(messages[1]?.content))).toBe(ids(JSON.stringify(left)));
  });
});

it('a turn whose calls were all removed has no thoughts any more where servers only take them beside calls', async () => {
  const calling = {
    text: ['Let me see.'],
    thinking: { text: 'Hm.', proof: '' },
    calls: [{ name: 'weather', arguments: '{"city":"Bonn"}' }],
  };
  const messages = async (without: readonly string[]): Promise<unknown> => {
    await using provider = await mockProvider(says('openai-chat', calling), says('openai-chat', 'Rain.'));
    const model = openaiChat('some', { baseURL: provider.url });
    expect(await runWithout(model, without)).toMatchObject({ output: 'Rain.' });
    return provider.requests[1]?.body['messages'];
  };
  expect(await messages([])).toMatchObject([{}, { reasoning_content: 'Hm.' }, { role: 'tool' }]);
  expect(await messages(['Bonn'])).toEqual([
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: 'Let me see.' },
    { role: 'user', content: 'Go on.' },
  ]);
});

describe('[P18] reasoning_details of OpenRouter go back without those of calls that were removed', () => {
  const sealed = (city: string) => ({
    type: 'reasoning.encrypted',
    id: `tool_${city}`,
    format: 'google-gemini-v1',
    data: `sealed ${city}`,
    index: 0,
  });
  const thought = { type: 'reasoning.text', text: 'Hm.', format: 'google-gemini-v1', index: 0 };
  const chunk = (delta: object, finish: string | null = null): string =>
    event({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish }] });
  const call = (city: string, index: number) => ({
    index,
    id: `tool_${city}`,
    type: 'function',
    function: { name: 'weather', arguments: JSON.stringify({ city }) },
  });

  const detailsAfter = async (without: readonly string[]): Promise<unknown> => {
    await using provider = await mockProvider(
      {
        pieces: [
          chunk({ role: 'assistant', content: 'Two cities.', reasoning_details: [thought] }),
          chunk({ tool_calls: [call('Bonn', 0)], reasoning_details: [sealed('Bonn')] }),
          chunk({ tool_calls: [call('Köln', 1)], reasoning_details: [sealed('Köln')] }),
          chunk({}, 'tool_calls'),
          'data: [DONE]\n\n',
        ],
      },
      says('openai-chat', 'Rain.'),
    );
    const baseURL = `${provider.url}/v1`;
    const model = openaiChat('gemini-3-pro', { profile: 'openrouter', apiKey: 'k', baseURL });
    expect(await runWithout(model, without)).toMatchObject({ status: 'completed', output: 'Rain.' });
    const messages = toJson(provider.requests[1]?.body['messages']);
    const [answer] = (Array.isArray(messages) ? messages : [])
      .filter(isJsonObject)
      .filter(({ role }) => role === 'assistant');
    return answer?.['reasoning_details'];
  };

  it.each([
    [[], [thought, sealed('Bonn'), sealed('Köln')]],
    [['Bonn'], [thought, sealed('Köln')]],
    [['Köln'], [thought, sealed('Bonn')]],
    [['Bonn', 'Köln'], undefined],
  ])('without the calls for %j', async (without, left) => {
    expect(await detailsAfter(without)).toEqual(left);
  });
});
