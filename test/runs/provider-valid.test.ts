import { expect, it } from 'vitest';
import { requestProblems } from '../support/provider-valid.ts';

/** A whole conversation of each form, so that a fault is the only thing wrong. */
const user = { role: 'user', content: 'Well?' };
const chatCall = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
};
const chatResult = { role: 'tool', tool_call_id: 'a', content: 'Sunny' };
const chat = (...messages: readonly object[]) => ({ path: '/v1/chat/completions', body: { messages } });

const call = { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'a', output: 'Sunny' };
const responses = (...input: readonly object[]) => ({ path: '/v1/responses', body: { input } });

const toolUse = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'weather', input: {} }] };
const toolResult = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'Sunny' }] };
const opening = { role: 'user', content: [{ type: 'text', text: 'Well?' }] };
const anthropic = (...messages: readonly object[]) => ({
  path: '/v1/messages',
  body: { max_tokens: 1, tools: [{ name: 'weather' }], messages },
});

it.each([
  ['chat', chat({ role: 'system', content: 'Be brief.' }, user, chatCall, chatResult)],
  ['responses', responses(user, call, output)],
  ['anthropic', anthropic(opening, toolUse, toolResult)],
])('[P18] a valid conversation has no problems (%s)', (_, request) => {
  expect(requestProblems(request)).toEqual([]);
});

it.each([
  ['a call without a result', chat(user, chatCall)],
  ['a call without a result', chat(user, chatCall, user)],
  ['a call without a result', responses(user, call, user)],
  ['a call without a result', anthropic(opening, toolUse, opening)],
  ['a result without a call', chat(user, chatResult)],
  ['a result without a call', responses(user, output)],
  ['a result without a call', anthropic(toolResult)],
  ['two results of a call', chat(user, chatCall, chatResult, chatResult)],
  ['two results of a call', responses(user, call, output, output)],
  ['one id twice', chat(user, chatCall, chatResult, chatCall, chatResult)],
  ['one id twice', responses(user, call, output, call, output)],
  ['one id twice', anthropic(opening, toolUse, toolResult, toolUse, toolResult)],
  ['an empty result', responses(user, call, { ...output, output: '' })],
  ['an empty message', chat({ role: 'user', content: ' ' })],
  ['an empty message', anthropic({ role: 'user', content: [] })],
  ['an unknown role', chat(user, { role: 'critic', content: 'No.' }, user)],
  ['an unknown role', responses(user, { role: 'tool', content: 'No.' }, user)],
  ['two turns of one side', anthropic(opening, opening)],
  [
    'words before results',
    anthropic(opening, toolUse, { role: 'user', content: [...opening.content, ...toolResult.content] }),
  ],
  ['the assistant first', chat({ role: 'assistant', content: 'Hello' }, user)],
  ['the assistant last', chat(user, { role: 'assistant', content: 'Hello' })],
  ['arguments that are not an object', responses(user, { ...call, arguments: '[]' }, output)],
  ['an illegal name', responses(user, { ...call, name: 'a.b' }, output)],
  [
    'thoughts without a signature',
    anthropic(opening, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }, opening),
  ],
  ['reasoning that nobody can read', responses(user, { type: 'reasoning', id: 'r' }, call, output)],
  ['reasoning that nothing came of', responses(user, { type: 'reasoning', encrypted_content: 'x' }, user)],
  ['an address that nobody has', { path: '/v1/elsewhere', body: {} }],
])('[P18] %s is seen (%#)', (_, request) => {
  expect(requestProblems(request)).not.toEqual([]);
});
