import { z } from 'zod';
import type { Model } from '../../src/contracts/models/model.ts';
import type { RunResult } from '../../src/contracts/runs/run-result.ts';
import { filterTurns } from '../../src/memory/processors/filter-turns.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';

const weather = tool({
  name: 'weather',
  description: 'The weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}.`,
});

/** Runs an agent whose context policy removes the calls for some cities, with their results. */
export const runWithout = (model: Model, cities: readonly string[]): Promise<RunResult<string>> => {
  const isWanted = ({ text }: { readonly text: string }): boolean =>
    !cities.some((city) => text === `Rain in ${city}.`);
  const compaction = { processors: [filterTurns(isWanted)] };
  return agent({ name: 'clerk', model, tools: [weather], conversation: { compaction } }).run('Weather?');
};

/** Items of the Responses API, by short names: reasoning, a search, words, and a call for a city. */
export const item = {
  thought: (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `sealed ${id}` }),
  search: (id: string) => ({
    type: 'web_search_call',
    id,
    status: 'completed',
    action: { type: 'search', query: 'weather', queries: ['weather'] },
  }),
  words: (id: string, text: string) => ({
    type: 'message',
    id,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [] }],
  }),
  call: (city: string) => ({
    type: 'function_call',
    id: `fc_${city}`,
    call_id: `call_${city}`,
    name: 'weather',
    arguments: JSON.stringify({ city }),
    status: 'completed',
  }),
};

const { thought, search, words, call } = item;

/** An output, the cities whose calls are removed, and what is left: ids of what goes back as it came, words alone, cities of calls. */
export type CutCase = readonly [
  what: string,
  output: readonly object[],
  without: readonly string[],
  left: readonly string[],
];

export const cutCases: readonly CutCase[] = [
  ['a call before another', [thought('rs_1'), call('Bonn'), call('Köln')], ['Bonn'], ['call Köln']],
  ['a call after another', [thought('rs_1'), call('Bonn'), call('Köln')], ['Köln'], ['rs_1', 'call Bonn']],
  [
    'the first of two that were thought of apart',
    [thought('rs_1'), call('Bonn'), thought('rs_2'), call('Köln')],
    ['Bonn'],
    ['rs_2', 'call Köln'],
  ],
  [
    'the second of two that were thought of apart',
    [thought('rs_1'), call('Bonn'), thought('rs_2'), call('Köln')],
    ['Köln'],
    ['rs_1', 'call Bonn'],
  ],
  [
    'one of two of the same name behind a search and words',
    [
      thought('rs_1'),
      search('ws_1'),
      thought('rs_2'),
      words('msg_1', 'Two cities.'),
      call('Bonn'),
      call('Köln'),
    ],
    ['Bonn'],
    ['rs_1', 'ws_1', 'rs_2', 'msg_1', 'call Köln'],
  ],
  [
    'a call before a search and words',
    [thought('rs_1'), call('Bonn'), search('ws_1'), words('msg_1', 'Two cities.'), call('Köln')],
    ['Bonn'],
    ['said Two cities.', 'call Köln'],
  ],
  [
    'all calls after words',
    [thought('rs_1'), search('ws_1'), words('msg_1', 'Two cities.'), thought('rs_2'), call('Bonn')],
    ['Bonn'],
    ['rs_1', 'ws_1', 'msg_1'],
  ],
];
