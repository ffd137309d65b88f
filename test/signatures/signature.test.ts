import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import type { FieldType, SignatureField, SignatureFields } from '../../src/contracts/agents/signature.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { checkSchema, jsonSchemaOf } from '../../src/tools/schemas/schemas.ts';
import { parseFieldList, parseSignature } from '../../src/tools/signatures/signature-parse.ts';
import { printSignature } from '../../src/tools/signatures/signature-print.ts';
import { fieldList, signature } from '../../src/tools/signatures/signature.ts';
import { sized } from '../support/thorough.ts';

const messageOf = (text: string): string => {
  try {
    parseSignature(text);
  } catch (error) {
    if (isTroupeError(error, 'agent.invalid')) return error.message;
    throw error;
  }
  return 'it can be read';
};

describe('a signature', () => {
  test.each([
    ['', 'it is empty'],
    ['   ', 'it is empty'],
    ['question', "it has no '->'"],
    ['a -> b -> c', "it has more than one '->'"],
    ['-> b', 'it has no inputs'],
    ['a ->', 'it has no outputs'],
    [', a -> b', 'the name of a field was expected'],
    ['a, -> b', 'the name of a field was expected'],
    ['a -> b,', 'the name of a field was expected'],
    ['a,, b -> c', 'the name of a field was expected'],
    ['a: strng -> b', "there is no type 'strng'"],
    ['a: -> b', 'a type was expected'],
    ['a: string? -> b', "the '?' stands after the name"],
    ['a: list[string -> b', "']' was expected"],
    ["a: ('x' | 'y' -> b", "')' was expected"],
    ["a: 'x' | -> b", 'a value in single quotes was expected'],
    ["a: 'x' | 'x' -> b", "the value 'x' is there twice"],
    ['a, a -> b', "the field 'a' is there twice"],
    ['a: number = -> b', 'a number, true, false'],
    ["a: number = 'one' -> b", 'the default does not fit its type'],
    ["a: 'x' | 'y' = 'z' -> b", 'the default does not fit its type'],
    ['a "never closed -> b', 'the description is not closed'],
    ['a b -> c', "',' or '->' was expected"],
    ['constructor -> c', "'constructor' cannot be the name of a field"],
    [`a: ${'list['.repeat(12)}`, 'lists are nested too deeply'],
    [`a: string${'[]'.repeat(12)} -> b`, 'lists are nested too deeply'],
  ])('[KAIZEN-03] %j is refused, as %s', (text, reason) => {
    expect(messageOf(text)).toContain(`Cannot read the signature as ${reason}`);
  });

  test('[KAIZEN-03] a refusal points at the place', () => {
    expect(messageOf('question: strng -> answer').split('\n').slice(1)).toEqual([
      '  question: strng -> answer',
      '            ^',
    ]);
    expect(messageOf('question: string ->\n  answer: numbr').split('\n').slice(1)).toEqual([
      '    answer: numbr',
      '            ^',
    ]);
    // A long line is shown around the place only.
    const [, line = '', caret = ''] = messageOf(`${'a'.repeat(500)}: x -> ${'b'.repeat(500)}`).split('\n');
    expect(line.length).toBeLessThan(130);
    expect(line[caret.indexOf('^')]).toBe('x');
  });

  test('[KAIZEN-03] [D16] types are types, in the words of either language', () => {
    const { inputs } = parseSignature(
      "a, b: str, c: float, d: int, e: bool, f: dict, g: date, h: 'x' | 'y', i: List[str], j: ('x')[][] -> z",
    );
    expect(inputs.map(({ type }) => type)).toEqual([
      { kind: 'string' },
      { kind: 'string' },
      { kind: 'number' },
      { kind: 'integer' },
      { kind: 'boolean' },
      { kind: 'json' },
      { kind: 'date' },
      { kind: 'enum', values: ['x', 'y'] },
      { kind: 'list', of: { kind: 'string' } },
      { kind: 'list', of: { kind: 'list', of: { kind: 'enum', values: ['x'] } } },
    ]);
  });

  test('what is in quotes is not read for commas, arrows and colons', () => {
    const { inputs, outputs } = parseSignature(
      `a: 'x, y' | '->' = '->' "one: two, three -> four" -> b "it's"`,
    );
    expect(inputs).toEqual([
      {
        name: 'a',
        type: { kind: 'enum', values: ['x, y', '->'] },
        isOptional: false,
        fallback: '->',
        description: 'one: two, three -> four',
      },
    ]);
    expect(outputs[0]?.description).toBe("it's");
  });

  test('printed and read again it says the same, whatever it says', () => {
    fc.assert(
      fc.property(signatures, (fields) => {
        const text = printSignature(fields);
        expect(parseSignature(text)).toEqual(fields);
        expect(printSignature(parseSignature(text))).toBe(text);
      }),
      { numRuns: sized(100, 500) },
    );
  });

  test('any text at all is read or refused, and never breaks the reader', () => {
    const pieces = fc.constantFrom(
      ' ',
      ',',
      '->',
      ':',
      '?',
      '=',
      '[]',
      '[',
      ']',
      '(',
      ')',
      "'",
      '"',
      '|',
      'a',
      'int',
      '3',
      '0',
      '-',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((found) => found.join('')),
        ),
        (text) => {
          // Anything but a refusal would be passed on, and fail the property.
          expect(messageOf(text)).toMatch(/^(it can be read$|Cannot read the signature as )/);
        },
      ),
      {
        numRuns: sized(300, 2_000),
        examples: [['a = 00 -> b'], ['a = 1e999 -> b'], ['a = -'], ['a: json = 1e999 -> b']],
      },
    );
  });
});

describe('the schemas of a signature', () => {
  const { input, output, text } = signature(
    'question: string "in words", limit: int = 3, since?: date -> answer: string, confidence?: number',
  );

  test('[KAIZEN-02] let the declared fields through and nothing else', () => {
    expect(checkSchema(input, { question: 'q', limit: 5, since: '2026-01-31', more: 1 })).toEqual({
      ok: true,
      value: { question: 'q', limit: 5, since: '2026-01-31' },
    });
    expect(checkSchema(input, { question: 'q' })).toEqual({ ok: true, value: { question: 'q', limit: 3 } });
    // Models write null for what they leave out.
    expect(checkSchema(output, { answer: 'a', confidence: null })).toMatchObject({
      ok: true,
      value: { answer: 'a' },
    });
    expect(text).toBe(
      'question: string "in words", limit: integer = 3, since?: date -> answer: string, confidence?: number',
    );
  });

  test.each([
    [{}, 'question'],
    [{ question: 1 }, 'question'],
    [{ question: 'q', limit: 1.5 }, 'limit'],
    [{ question: 'q', since: 'yesterday' }, 'since'],
  ])('[KAIZEN-07] refuse %j', (given, path) => {
    expect(checkSchema(input, given)).toMatchObject({ ok: false, issues: [{ path }] });
  });

  test('tell a model all of it, closed, as providers want it', () => {
    expect(jsonSchemaOf(input)).toEqual({
      type: 'object',
      properties: {
        question: { type: 'string', description: 'in words' },
        limit: expect.objectContaining({ type: 'integer', default: 3 }),
        since: { anyOf: expect.any(Array) },
      },
      required: ['question'],
      additionalProperties: false,
    });
  });

  test('[KAIZEN-02] a whole run takes what comes in by them, and gives what goes out', async () => {
    const model = scriptedModel(['{"answer": "because", "confidence": 0.9, "aside": "hm"}']);
    const oracle = agent({ name: 'oracle', model, ...signature('question -> answer, confidence: number') });
    const result = await oracle.run({ question: 'why?' });
    expect(result.output).toEqual({ answer: 'because', confidence: 0.9 });
    expect(model.requests[0]?.output?.schema).toMatchObject({ required: ['answer', 'confidence'] });
  });

  test('[KAIZEN-07] what does not fit is refused before a model is asked', async () => {
    const model = scriptedModel([]);
    const oracle = agent({ name: 'oracle', model, input: fieldList('question: string') });
    const foreign: { question: string } = JSON.parse('{}');
    await expect(oracle.run(foreign)).rejects.toMatchObject({ code: 'input.invalid' });
    expect(model.requests).toHaveLength(0);
  });

  test('one side alone has no arrow', () => {
    expect(parseFieldList('a: number').map(({ name }) => name)).toEqual(['a']);
    expect(() => parseFieldList('a -> b')).toThrow("a list of fields has no '->'");
    expect(() => parseFieldList('')).toThrow('it is empty');
  });
});

const quoted = fc.string({ maxLength: 12 }).map((text) => text.replaceAll(/['"\n]/g, ''));

const types: fc.Arbitrary<FieldType> = fc.letrec<{ type: FieldType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('string', 'number', 'integer', 'boolean', 'json', 'date').map((kind) => ({ kind })),
    fc
      .uniqueArray(quoted, { minLength: 1, maxLength: 4 })
      .map((values) => ({ kind: 'enum' as const, values })),
    tie('type').map((of) => ({ kind: 'list' as const, of })),
  ),
})).type;

const fallbacks = (type: FieldType): fc.Arbitrary<SignatureField['fallback']> => {
  switch (type.kind) {
    case 'string':
      return quoted;
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0));
    case 'integer':
      return fc.integer();
    case 'boolean':
      return fc.boolean();
    case 'date':
      return fc.constant('2026-01-31');
    case 'json':
      return fc.constantFrom(1, true, null, 'text');
    case 'enum':
      return fc.constantFrom(...type.values);
    case 'list':
      return fc.constant([]);
  }
};

const fields: fc.Arbitrary<SignatureField> = types.chain((type) =>
  fc.record(
    {
      name: fc
        .stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/)
        .filter((name) => !['__proto__', 'constructor', 'prototype'].includes(name)),
      type: fc.constant(type),
      isOptional: fc.boolean(),
      fallback: fallbacks(type),
      description: fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/["\n]/g, '')),
    },
    { requiredKeys: ['name', 'type', 'isOptional'] },
  ),
);

const side = fc.uniqueArray(fields, { minLength: 1, maxLength: 5, selector: ({ name }) => name });

const signatures: fc.Arbitrary<SignatureFields> = fc.record({ inputs: side, outputs: side });
