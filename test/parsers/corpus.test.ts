import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolSpec } from '../../src/contracts/tools/tool-call.ts';
import { jsonParser } from '../../src/models/parsers/json-parser.ts';
import { reactParser } from '../../src/models/parsers/react-parser.ts';
import type { TextParser, TextReading } from '../../src/models/parsers/text-parser.ts';
import { xmlParser } from '../../src/models/parsers/xml-parser.ts';
import { processorTime } from '../support/processor-time.ts';
import { sized } from '../support/thorough.ts';

const tools: readonly ToolSpec[] = [
  {
    name: 'add',
    description: 'Add two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  },
  {
    name: 'search',
    description: 'Look\nsomething up.',
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
];

const add = { name: 'add', input: { a: 1, b: 2 } };
const search = { name: 'search', input: { query: 'xstate' } };
const cut = { problem: 'The arguments were cut off before they were complete.' };
const calls = (...found: readonly object[]) => ({ kind: 'calls', calls: found });
const answer = (text: string) => ({ kind: 'answer', answer: text });
const problem = (text: string) => ({ kind: 'problem', problem: text });

type Sample = readonly [title: string, text: string, reading: object, isCut?: true];

const corpus: readonly {
  parser: TextParser;
  valid: Sample[];
  synonyms: Sample[];
  truncated: Sample[];
  invalid: Sample[];
}[] = [
  {
    parser: reactParser,
    valid: [
      [
        'a call',
        'Thought: sum\nAction: add\nAction Input: {"a": 1, "b": 2}',
        { ...calls(add), thought: 'sum' },
      ],
      [
        'two calls',
        'Action: add\nAction Input: {"a":1,"b":2}\nAction: search\nAction Input: {"query":"xstate"}',
        calls(add, search),
      ],
      ['an answer', 'Thought: done\nFinal Answer: 3', { ...answer('3'), thought: 'done' }],
      [
        'an answer of several lines',
        'Final Answer: one\nInput: two\nthree',
        answer('one\nInput: two\nthree'),
      ],
      [
        'an answer beside an action',
        'Action: add\nAction Input: {"a":1,"b":2}\nFinal Answer: 3',
        answer('3'),
      ],
      [
        'results that it made up',
        'Action: add\nAction Input: {"a":1,"b":2}\nObservation: 4\nFinal Answer: 4',
        calls(add),
      ],
      ['words alone', 'It is 3.', answer('It is 3.')],
    ],
    synonyms: [
      ['a function', 'Action: add(a=1, b=2)', calls(add)],
      ['a function with JSON', 'Action: add({"a": 1, "b": 2})', calls(add)],
      ['quotes in a function', `Action: search(query="xstate")`, calls(search)],
      ['brackets', 'Action: search[xstate]', calls(search)],
      ['a bare word for the one parameter', 'Action: search\nAction Input: xstate', calls(search)],
      ['a quoted word', 'Action: search\nAction Input: "xstate"', calls(search)],
      ['other labels', 'Tool: add\nArguments: {"a": 1, "b": 2}', calls(add)],
      ['bold labels', '**Thought:** sum\n**Action:** `add`\n**Action Input:** {"a": 1, "b": 2}', calls(add)],
      ['numbered labels', 'Thought 1: sum\nAction 1: search[xstate]', calls(search)],
      ['a fence', 'Action: add\nAction Input:\n```json\n{"a": 1, "b": 2}\n```', calls(add)],
      ['a call as JSON', 'Action: {"name": "add", "arguments": {"a": 1, "b": 2}}', calls(add)],
      ['JSON that has to be mended', "Action: add\nAction Input: {a: 1, 'b': 2,}", calls(add)],
      ['no arguments', 'Action: search', calls({ name: 'search', input: {} })],
    ],
    truncated: [
      ['a bracket that was forgotten', 'Action: add\nAction Input: {"a": 1, "b": 2', calls(add)],
      [
        'the limit, in mid-object',
        'Action: add\nAction Input: {"a": 1, "b": 2',
        calls({ ...add, ...cut }),
        true,
      ],
      ['mid-string', 'Action: search\nAction Input: {"query": "xsta', calls({ name: 'search', ...cut })],
      ['before a value', 'Action: add\nAction Input: {"a": 1, "b":', calls({ name: 'add', ...cut })],
      ['in a function', 'Action: search(xsta', calls({ name: 'search', ...cut })],
      [
        'the limit, after a whole call',
        'Action: add\nAction Input: {"a": 1, "b": 2}\nAction: search\nAction Input: {"qu',
        calls(add, { name: 'search', ...cut }),
        true,
      ],
    ],
    invalid: [
      ['nothing', '  ', problem('it is empty')],
      [
        'a thought alone',
        'Thought: I should look.',
        problem('there is neither an Action nor a Final Answer'),
      ],
      [
        'an action without a name',
        'Thought: x\nAction:\nAction Input: {}',
        problem('the action names no tool'),
      ],
      ['no action', 'Thought: x\nAction: None', problem('the action names no tool')],
      ['an answer without words', 'Thought: x\nFinal Answer:', problem('the final answer is empty')],
    ],
  },
  {
    parser: jsonParser,
    valid: [
      [
        'a call',
        '{"thought": "sum", "calls": [{"tool": "add", "input": {"a": 1, "b": 2}}]}',
        { ...calls(add), thought: 'sum' },
      ],
      [
        'two calls',
        '{"calls": [{"tool": "add", "input": {"a": 1, "b": 2}}, {"tool": "search", "input": {"query": "xstate"}}]}',
        calls(add, search),
      ],
      ['an answer', '{"thought": "done", "answer": "3"}', { ...answer('3'), thought: 'done' }],
      ['an answer that is a value', '{"answer": {"sum": 3}}', answer('{"sum":3}')],
      ['an answer beside a call', '{"calls": [{"tool": "add", "input": {}}], "answer": "3"}', answer('3')],
      [
        'no answer yet',
        '{"answer": null, "calls": [{"tool": "add", "input": {"a": 1, "b": 2}}]}',
        calls(add),
      ],
      ['words alone', 'It is 3.', answer('It is 3.')],
      ['words with brackets', 'As they said [sic], 3.', answer('As they said [sic], 3.')],
    ],
    synonyms: [
      ['one call', '{"tool": "add", "input": {"a": 1, "b": 2}}', calls(add)],
      ['name and arguments', '{"name": "add", "arguments": {"a": 1, "b": 2}}', calls(add)],
      ['action and action_input', '{"action": "add", "action_input": {"a": 1, "b": 2}}', calls(add)],
      ['words run together', '{"toolName": "add", "toolInput": {"a": 1, "b": 2}}', calls(add)],
      [
        'a function within',
        '{"tool_calls": [{"type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 1, \\"b\\": 2}"}}]}',
        calls(add),
      ],
      [
        'a list',
        '[{"tool": "add", "args": {"a": 1, "b": 2}}, {"tool": "search", "params": "xstate"}]',
        calls(add, search),
      ],
      ['the tool as the key', '{"add": {"a": 1, "b": 2}}', calls(add)],
      ['arguments beside the name', '{"tool": "add", "a": 1, "b": 2}', calls(add)],
      ['a final answer', '{"Final Answer": "3"}', answer('3')],
      [
        'a fence amid words',
        'Sure!\n```json\n{"tool": "add", "input": {"a": 1, "b": 2}}\n```\nDone.',
        calls(add),
      ],
      ['JSON that has to be mended', "{tool: 'add', input: {a: 1, b: 2,},} // sum", calls(add)],
    ],
    truncated: [
      ['a bracket that was forgotten', '{"tool": "add", "input": {"a": 1, "b": 2}', calls(add)],
      [
        'the limit, in mid-object',
        '{"tool": "add", "input": {"a": 1, "b": 2',
        calls({ ...add, ...cut }),
        true,
      ],
      ['mid-string', '{"tool": "search", "input": {"query": "xsta', calls({ name: 'search', ...cut })],
      [
        'mid-list',
        '{"calls": [{"tool": "add", "input": {"a": 1, "b": 2}}, {"tool": "search", "input": {"query": "x',
        calls(add, { name: 'search', ...cut }),
      ],
      ['before anything', '{"thought": "I will', problem('the JSON is cut off')],
    ],
    invalid: [
      ['nothing', '', problem('it is empty')],
      ['another object', '{"a": 1}', problem('the JSON object has neither "calls" nor "answer"')],
      ['no calls', '{"calls": []}', problem('the JSON object has neither "calls" nor "answer"')],
      [
        'a call without a name',
        '{"calls": [{"input": {}}]}',
        problem('the JSON object has neither "calls" nor "answer"'),
      ],
    ],
  },
  {
    parser: xmlParser,
    valid: [
      [
        'a call',
        '<thought>sum</thought><call name="add">{"a": 1, "b": 2}</call>',
        { ...calls(add), thought: 'sum' },
      ],
      [
        'two calls',
        '<call name="add">{"a": 1, "b": 2}</call>\n<call name="search">{"query": "xstate"}</call>',
        calls(add, search),
      ],
      [
        'an answer',
        '<thought>done</thought><answer>a &lt; b</answer>',
        { ...answer('a < b'), thought: 'done' },
      ],
      ['an answer beside a call', '<call name="add">{}</call><answer>3</answer>', answer('3')],
      [
        'a call that was only thought of',
        '<think><call name="add">{}</call></think><answer>3</answer>',
        answer('3'),
      ],
      ['words alone', 'It is 3.', answer('It is 3.')],
    ],
    synonyms: [
      [
        'a tool_call of JSON',
        '<tool_call>\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n</tool_call>',
        calls(add),
      ],
      [
        'an invoke',
        '<invoke name="add"><parameter name="a">1</parameter><parameter name="b">2</parameter></invoke>',
        calls(add),
      ],
      ['elements for arguments', '<call name="add"><a>1</a><b>2</b></call>', calls(add)],
      ['input within', '<call name="add"><input>{"a": 1, "b": 2}</input></call>', calls(add)],
      [
        'the name as an element',
        '<action><tool_name>search</tool_name><parameters><query>xstate</query></parameters></action>',
        calls(search),
      ],
      ['the tool as the element', '<tool_call><add><a>1</a><b>2</b></add></tool_call>', calls(add)],
      ['bare text', '<call name="search">xstate</call>', calls(search)],
      [
        'text that looks like a number',
        '<call name="search"><query>42</query></call>',
        calls({ name: 'search', input: { query: '42' } }),
      ],
      ['CDATA', '<call name="search"><query><![CDATA[xstate]]></query></call>', calls(search)],
      ['a final answer', '<final_answer>3</final_answer>', answer('3')],
      ['no arguments', '<call name="search"/>', calls({ name: 'search', input: {} })],
      ['JSON that has to be mended', "<call name='add'>{a: 1, b: 2,}</call>", calls(add)],
    ],
    truncated: [
      ['an end that is missing', '<call name="add">{"a": 1, "b": 2}', calls({ ...add, ...cut })],
      ['mid-string', '<call name="search">{"query": "xsta', calls({ name: 'search', ...cut })],
      [
        'after a whole call',
        '<call name="add">{"a": 1, "b": 2}</call><call name="search">{"que',
        calls(add, { name: 'search', ...cut }),
      ],
      ['an answer without its end', '<answer>3', answer('3')],
    ],
    invalid: [
      ['nothing', '', problem('it is empty')],
      ['a thought alone', '<thought>hm</thought>', problem('there is neither a call nor an answer')],
      ['a call without a name', '<call>{"a": 1}</call>', problem('the call names no tool')],
    ],
  },
];

/** Tuples with an end that may be missing are not typed well by `test.each`. */
const named = (samples: readonly Sample[]) =>
  samples.map(([title, text, reading, isCut]) => ({ title, text, reading, isCut }));

describe.each(corpus)('$parser.name', ({ parser, valid, synonyms, truncated, invalid }) => {
  const read = (text: string, isCut?: true): TextReading =>
    parser.read(text, { tools, isCut: isCut ?? false });

  test.each(named(valid))('[QITOS-16] reads $title', ({ text, reading }) => {
    expect(read(text)).toMatchObject(reading);
  });

  test.each(named(synonyms))('[QITOS-16] reads $title for what it means', ({ text, reading }) => {
    expect(read(text)).toMatchObject(reading);
  });

  test.each(named(truncated))(
    '[QITOS-16] tolerates an end that is missing: $title',
    ({ text, reading, isCut }) => {
      const found = read(text, isCut);
      expect(found).toMatchObject(reading);
      // A call that is whole carries no problem, one that is not always does.
      const problems = (of: object) =>
        'calls' in of && Array.isArray(of.calls) ? of.calls.map((call: object) => 'problem' in call) : [];
      expect(problems(found)).toEqual(problems(reading));
    },
  );

  test.each(named(invalid))('[QITOS-16] says what is wrong: $title', ({ text, reading }) => {
    expect(read(text)).toEqual(reading);
  });

  test('reads what it writes', () => {
    expect(read(parser.write([add, search]))).toMatchObject(calls(add, search));
  });

  test('teaches the same bytes for the same tools, every tool on record, and what it teaches can be read', () => {
    const output = { name: 'sum', schema: { type: 'object' } };
    const lesson = parser.teach({ tools, output });
    expect(parser.teach({ tools: structuredClone(tools), output: structuredClone(output) })).toBe(lesson);
    for (const { name, parameters } of tools) {
      expect(lesson).toContain(`- ${name}: `);
      expect(lesson).toContain(JSON.stringify(parameters));
    }
    expect(lesson).toContain('{"type":"object"}');
    expect(parser.teach({ tools: [] })).toContain('There are no tools.');
  });

  test('never throws, whatever a model writes, and never makes a prototype of it', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      "'",
      ':',
      ',',
      '\n',
      ' ',
      'Action:',
      'Action Input:',
      'Final Answer:',
      'Observation:',
      '<call name="add">',
      '</call>',
      '<answer>',
      '</answer>',
      '<',
      '/>',
      'add',
      '(',
      ')',
      '=',
      '```',
      '{"__proto__": 1}',
      '\\',
      '1',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces, { maxLength: 30 }).map((found) => found.join('')),
        ),
        fc.boolean(),
        (text, isCut) => {
          const found = parser.read(text, { tools, isCut });
          expect(['calls', 'answer', 'problem']).toContain(found.kind);
          const inputs = found.kind === 'calls' ? found.calls.map(({ input }) => input) : [];
          expect(JSON.parse(JSON.stringify(inputs))).toEqual(inputs);
        },
      ),
      { numRuns: sized(250, 1_000) },
    );
  });

  test.each([
    '{',
    '[',
    '"',
    '<call name="add">',
    '<call>',
    'Action: add(',
    'Action: a\n',
    'Action: add(a=',
    '{"a":',
  ])('reads 60,000 characters of %j in no time', (piece) => {
    const text = piece.repeat(Math.ceil(60_000 / piece.length));
    expect(processorTime(() => parser.read(text, { tools }))).toBeLessThan(1_500);
  });
});
