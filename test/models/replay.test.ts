import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/base/json/json.ts';
import type { ModelRequest } from '../../src/contracts/models/model.ts';
import type { AssistantTurn } from '../../src/contracts/conversations/transcript.ts';
import { anthropicRequest } from '../../src/models/anthropic/anthropic-request.ts';
import { openaiRequest } from '../../src/models/openai/responses-request.ts';
import { noMedia } from '../../src/models/wire/media-bytes.ts';
import { toolInputs } from '../../src/models/calls/tool-inputs.ts';
import { toolNames } from '../../src/models/calls/tool-names.ts';
import { question, transcript } from '../support/ask-model.ts';

const CALL = { id: 'call_1_0', name: 'weather', input: { city: 'Bonn' } };

/** A turn as a stored history may hold it: `kept` is whatever somebody wrote there. */
const turnWith = (provider: string, kept: { readonly [name: string]: Json }, calls = [CALL]) =>
  question({
    messages: transcript(
      { role: 'user', text: 'Weather?' },
      {
        role: 'assistant',
        text: 'Let me see.',
        calls,
        replay: { provider, content: { model: 'm', ...kept } },
      },
      ...calls.map(({ id, name }) => ({ role: 'tool' as const, callId: id, tool: name, text: '12 °C' })),
      { role: 'user', text: 'So?' },
    ),
  });

type Calls = NonNullable<AssistantTurn['calls']>;
const wire = (request: ModelRequest) => ({
  request,
  names: toolNames(['weather']),
  inputs: toolInputs([]),
  media: noMedia,
});

describe('what a model of Anthropic said goes back', () => {
  const sent = (blocks: Json, calls?: Calls & (typeof CALL)[]): unknown =>
    anthropicRequest('m', wire(turnWith('anthropic', { blocks }, calls))).messages[1]?.content;
  const theirs = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} };
  const ours = { type: 'tool_use', ...CALL };
  const words = { type: 'text', text: 'Let me see.' };

  it.each<readonly [what: string, block: Json]>([
    ['words with citations', { type: 'text', text: 'x', citations: [{ type: 'char_location' }] }],
    ['signed thinking', { type: 'thinking', thinking: '', signature: 'sig' }],
    ['redacted thinking', { type: 'redacted_thinking', data: 'xyz' }],
    ['a search', { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } }],
    ['what the search found', { type: 'web_search_tool_result', tool_use_id: 's', content: [] }],
    ['what was fetched', { type: 'web_fetch_tool_result', tool_use_id: 's', content: { type: 'x' } }],
    ['a compaction', { type: 'compaction', content: 'So far …', more: true }],
    ['a call over MCP', { type: 'mcp_tool_use', id: 'm', name: 'n', server_name: 's', input: {} }],
  ])('%s as it came', (_, block) => {
    expect(sent([block, theirs])).toEqual([block, ours]);
  });

  it.each<readonly [what: string, block: Json]>([
    ['words that are none', { type: 'text', text: 7 }],
    ['thinking that nobody signed', { type: 'thinking', thinking: 'Hm.' }],
    ['thinking without a thought', { type: 'thinking', signature: 'sig' }],
    ['thinking without data', { type: 'redacted_thinking' }],
    ['a search without a name', { type: 'server_tool_use', id: 's', input: {} }],
    ['a search without an input', { type: 'server_tool_use', id: 's', name: 'web_search' }],
    ['a result of nothing', { type: 'web_search_tool_result', content: [] }],
    ['a result that is a word', { type: 'web_search_tool_result', tool_use_id: 's', content: 'x' }],
    ['what only people send', { type: 'tool_result', tool_use_id: 's', content: 'x' }],
    ['a type that there is not', { type: 'telepathy', text: 'x' }],
    ['a type that every object has', { type: 'constructor' }],
    ['a type that is no word', { type: 5 }],
    ['something without a type', { text: 'x' }],
    ['something that is no block', 'x'],
  ])('without %s', (_, block) => {
    expect(sent([block, { type: 'text', text: 'x' }, theirs])).toEqual([{ type: 'text', text: 'x' }, ours]);
  });

  it.each<readonly [what: string, blocks: Json]>([
    [
      'a call has no id',
      [
        { type: 'text', text: 'x' },
        { ...theirs, id: null },
      ],
    ],
    ['nothing of it can', [{ type: 'telepathy' }]],
    ['it is no list', 'x'],
  ])('as words and calls where %s', (_, blocks) => {
    expect(sent(blocks)).toEqual([words, ours]);
  });

  it('without a call that the turn does not have, as a context policy may have removed it', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} };
    expect(sent([search, theirs, theirs])).toEqual([search, ours]);
    expect(sent([search, { ...theirs, name: 'time' }, theirs])).toEqual([search, ours]);
    expect(sent([search, { ...theirs, name: 'time' }, { ...theirs, name: 'date' }])).toEqual([words, ours]);
  });

  it('as words where nothing of a turn without calls can', () => {
    expect(sent([{ type: 'telepathy' }], [])).toEqual([words]);
  });
});

describe('what a model of OpenAI said goes back', () => {
  const sent = (items: Json, calls?: Calls & (typeof CALL)[]): unknown[] => {
    const { input } = openaiRequest('m', wire(turnWith('openai', { items }, calls)));
    return Array.isArray(input) ? input.slice(1, calls === undefined ? -2 : -1) : [];
  };
  const theirs = { type: 'function_call', call_id: 'fc_1', name: 'weather', arguments: '{}' };
  const ours = { type: 'function_call', call_id: CALL.id, name: 'weather', arguments: '{"city":"Bonn"}' };
  const words = { role: 'assistant', content: 'Let me see.' };

  it.each<readonly [what: string, item: Json]>([
    ['words', { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [] }],
    ['encrypted reasoning', { type: 'reasoning', id: 'r', summary: [], encrypted_content: 'gAAA' }],
    ['a search', { type: 'web_search_call', id: 'w', status: 'completed', action: { type: 'search' } }],
    ['code that is not told', code(null)],
    ['code with outputs', code([])],
    ['an answer of a person', { type: 'mcp_approval_response', approval_request_id: 'a', approve: false }],
    ['a search for tools', { type: 'tool_search_call', arguments: null }],
  ])('%s as it came', (_, item) => {
    expect(sent([item, theirs])).toEqual([item, ours]);
  });

  it.each<readonly [what: string, item: Json]>([
    ['reasoning without a name', { type: 'reasoning', summary: [] }],
    ['reasoning without a summary', { type: 'reasoning', id: 'r', summary: 'x' }],
    ['a search for nothing', { type: 'web_search_call', id: 'w', status: 'completed' }],
    ['code with outputs that are none', code('x')],
    ['an answer that is none', { type: 'mcp_approval_response', approval_request_id: 'a', approve: 'no' }],
    ['a type that there is not', { type: 'telepathy', id: 'x' }],
    ['a type that every object has', { type: 'toString' }],
  ])('without %s', (_, item) => {
    const kept = { type: 'compaction', encrypted_content: 'x' };
    expect(sent([item, kept, theirs])).toEqual([kept, ours]);
  });

  it.each<readonly [what: string, items: Json]>([
    ['a call has no name', [{ ...theirs, name: null }]],
    ['nothing of it can', [{ type: 'telepathy' }]],
  ])('as words and calls where %s', (_, items) => {
    expect(sent(items)).toEqual([words, ours]);
  });

  it('as words where nothing of a turn without calls can', () => {
    expect(sent([{ type: 'telepathy' }], [])).toEqual([words]);
  });
});

function code(outputs: Json): Json {
  return {
    type: 'code_interpreter_call',
    id: 'c',
    code: null,
    container_id: 'k',
    status: 'completed',
    outputs,
  };
}
