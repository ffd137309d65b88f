import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callArguments, echoedInput, parsedArguments } from '../../src/models/calls/call-arguments.ts';
import { describeWithFixtures, fixtures } from '../support/fixtures.ts';

interface JsonCase {
  readonly name: string;
  readonly expect: 'accept' | 'reject' | 'either';
  readonly b64: string;
}

describe('[F16] arguments as a model writes them', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    ['  ', {}],
    ['{}', {}],
    ['null', null],
    ['[]', []],
    ['5', 5],
    ['""', ''],
    ['"{\\"a\\":1}"', '{"a":1}'],
    ['{"a":"5"}', { a: '5' }],
  ])('%j is read as it is: whether it fits the tool is for its schema to say', (text, input) => {
    expect(callArguments(text)).toEqual({ input });
  });

  it.each([
    ['{"a":', 'not valid JSON'],
    ['{a: 1}', 'not valid JSON'],
    ['{"a": NaN}', 'not valid JSON'],
    ['{"a":{"b":1e999}}', 'Infinity'],
    ['{"__proto__":{"admin":true}}', "key '__proto__'"],
    ['{"a":[{"constructor":1}]}', "key 'constructor'"],
    ['[1,-1e999]', '-Infinity'],
    [`${'['.repeat(10_000)}${']'.repeat(10_000)}`, ''],
  ])('%j is a problem, with the text kept', (text, problem) => {
    expect(callArguments(text)).toEqual({ input: text, problem: expect.stringContaining(problem) as string });
  });

  it.each(['', ' ', '{"a":', '5', '"x"', 'nul'])('[F15] %j that was cut off is a problem', (text) => {
    expect(callArguments(text, true)).toEqual({
      input: text,
      problem: expect.stringContaining('cut off') as string,
    });
  });

  it('[F15] an object that was whole before the cut stands', () => {
    expect(callArguments('{"a":1}', true)).toEqual({ input: { a: 1 } });
  });

  it('a megabyte is read', () => {
    expect(callArguments(JSON.stringify({ a: 'x'.repeat(1_000_000) })).problem).toBeUndefined();
  });

  it('whatever is plain JSON comes through unchanged', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        const { input, problem } = callArguments(text);
        // -0 has no JSON of its own, and forbidden keys may come up.
        if (problem !== undefined) return /-0|__proto__|constructor|prototype|e\+?\d{3}/.test(text);
        return JSON.stringify(input) === JSON.stringify(JSON.parse(text));
      }),
    );
  });

  it('arguments that arrive parsed are held to the same rules', () => {
    expect(parsedArguments({ a: 1 })).toEqual({ input: { a: 1 } });
    expect(parsedArguments({ a: Number.NaN }).problem).toContain('NaN');
  });

  it('a provider gets an object back, whatever was written', () => {
    const call = { id: 'call_1_0', name: 'x' };
    expect(echoedInput({ ...call, input: { a: 1 } })).toEqual({ a: 1 });
    expect(echoedInput({ ...call, input: '{"a":', problem: 'x' })).toEqual({ invalid: '{"a":' });
    expect(echoedInput({ ...call, input: [1] })).toEqual({ invalid: [1] });
  });
});

describeWithFixtures('[F16] the JSON test suite as arguments', 'json/json-test-suite.json', () => {
  it('nothing crashes; what must be accepted is read or named as a problem, what must be rejected is a problem', () => {
    const cases = JSON.parse(readFileSync(fixtures('json/json-test-suite.json'), 'utf8')) as JsonCase[];
    expect(cases.length).toBeGreaterThan(300);
    const wrong = cases.filter(({ expect: expected, b64 }) => {
      const text = Buffer.from(b64, 'base64').toString('utf8');
      const { problem } = callArguments(text);
      // No text at all is what models write for a tool without parameters.
      if (expected === 'reject') return text.trim() !== '' && problem === undefined;
      return expected === 'accept' && problem?.includes('not valid JSON');
    });
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });
});
