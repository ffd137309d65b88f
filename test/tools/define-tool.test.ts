import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { isTroupeError } from '../../src/contracts/errors/error.ts';
import { needsApproval } from '../../src/actors/acting/describe-call.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { dual } from '../../src/tools/calls/tool-result.ts';
import { perform, performNow } from './tool-context.ts';

const base = {
  name: 'add',
  description: 'Add two numbers.',
  input: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }: { a: number; b: number }) => a + b,
};

/** What JavaScript may pass, whatever the types say. */
const define = (options: unknown): unknown => Reflect.apply(tool, undefined, [options]);

const refusal = (options: unknown): string => {
  try {
    define(options);
  } catch (error) {
    return isTroupeError(error, 'tool.invalid') ? error.message : `wrong error: ${String(error)}`;
  }
  return 'none';
};

describe('the facts of a tool', () => {
  test('[DODO-17] have defaults: version 0.0.0, category general, safe to read, 60 s', () => {
    expect(tool(base)).toMatchObject({
      version: '0.0.0',
      category: 'general',
      tags: [],
      safety: 'read',
      idempotent: true,
      exclusive: false,
      timeoutMs: 60_000,
      dynamicSchema: false,
      retry: { attempts: 3, initialWaitMs: 500, maxWaitMs: 10_000 },
    });
    expect(tool(base).deprecated).toBeUndefined();
  });

  test('[DODO-17] are kept as they were given', () => {
    const facts = {
      version: '2.1.0',
      category: 'math',
      tags: ['sum'],
      deprecated: 'too slow',
      replacedBy: 'sum',
      safety: 'danger',
      idempotent: true,
      exclusive: false,
      timeoutMs: 5,
    } as const;
    expect(tool({ ...base, ...facts })).toMatchObject(facts);
  });

  test('[TENEX-Q02] a tool that changes something runs alone and is not repeated, unless it says otherwise', () => {
    for (const safety of ['write', 'danger'] as const) {
      expect(tool({ ...base, safety })).toMatchObject({ exclusive: true, idempotent: false });
      const otherwise = { exclusive: false, idempotent: true };
      expect(tool({ ...base, safety, ...otherwise })).toMatchObject(otherwise);
    }
    expect(tool({ ...base, safety: 'read' }).exclusive).toBe(false);
  });

  test.each([
    ['unset and idempotent', { idempotent: true }, 3],
    ['unset and not idempotent', { idempotent: false }, 1],
    ['explicitly false, though idempotent', { idempotent: true, retry: false }, 1],
    ['explicitly true, though not idempotent', { idempotent: false, retry: true }, 3],
    ['a number of attempts, though not idempotent', { idempotent: false, retry: { attempts: 5 } }, 5],
    ['waits only, though not idempotent', { idempotent: false, retry: { initialWaitMs: 1 } }, 3],
  ])('[DODO-18] retry has three states: %s', (_, options, attempts) => {
    expect(tool({ ...base, ...options }).retry.attempts).toBe(attempts);
  });

  test('[M22] a tool may have no time-out at all', () => {
    expect(tool({ ...base, timeoutMs: Infinity }).timeoutMs).toBe(Infinity);
  });
});

describe('a tool that makes no sense is refused when it is defined', () => {
  test.each(['', 'two words', '.tool', '1st', '$a', 'a'.repeat(257), '__proto__', 'constructor', undefined])(
    '[M18] a bad name: %s',
    (name) => {
      expect(refusal({ ...base, name })).toContain('its name is not a name: found');
    },
  );

  test('[M18] a missing description', () => {
    expect(refusal({ ...base, description: ' ' })).toContain("its description is not a text: found ' '");
  });

  test('[M18] a schema that is no schema: it says what was found', () => {
    expect(refusal({ ...base, input: { a: z.number(), b: z.number() } })).toBe(
      "Cannot define tool 'add' as its input is not a Standard Schema: a plain object with a, b",
    );
    expect(refusal({ ...base, input: 'a: number' })).toContain("not a Standard Schema: 'a: number'");
    expect(refusal({ ...base, output: {} })).toContain('its output is not a Standard Schema');
  });

  test('[M18] a JSON Schema as input: it says what was found, and what to write', () => {
    const properties = { a: { type: 'number' } };
    const written = 'write it as `parameters:`, or as `input: jsonSchema(…)` to keep its type';
    expect(refusal({ ...base, input: { type: 'object', properties } })).toBe(
      `Cannot define tool 'add' as its input is a JSON Schema, a plain object with type, properties: ${written}`,
    );
    for (const input of [{ properties }, { $ref: '#/$defs/a', $defs: {} }, { anyOf: [{ type: 'object' }] }])
      expect(refusal({ ...base, input })).toContain(`: ${written}`);
  });

  test('[M18] neither input nor parameters, or the one in the place of the other: it says what to write', () => {
    expect(refusal({ ...base, input: undefined })).toBe(
      "Cannot define tool 'add' as it has neither input nor parameters: " +
        'write `input:` with a Standard Schema such as z.object({ … }), or `parameters:` with a JSON Schema',
    );
    expect(refusal({ ...base, input: undefined, parameters: base.input })).toBe(
      "Cannot define tool 'add' as its parameters are a Standard Schema of zod: write it as `input:`",
    );
    expect(refusal({ ...base, input: undefined, parameters: 'a: number' })).toBe(
      "Cannot define tool 'add' as its parameters are not a JSON Schema: 'a: number'",
    );
    expect(refusal({ ...base, parameters: 7 })).toContain('its parameters are not a JSON Schema: 7');
  });

  test('[M18] nonsense instead of options, numbers and words', () => {
    expect(refusal(undefined)).toBe("Cannot define tool '' as its options are not an object: found nothing");
    expect(refusal({ ...base, timeoutMs: -1 })).toContain(
      'its timeoutMs is not a time above 0, in ms: found -1',
    );
    expect(refusal({ ...base, timeoutMs: NaN })).toContain(
      'its timeoutMs is not a time above 0, in ms: found NaN',
    );
    expect(refusal({ ...base, timeoutMs: '200' })).toContain(
      "its timeoutMs is not a time above 0, in ms: found '200'",
    );
    expect(refusal({ ...base, retry: { attempts: '2' } })).toContain(
      "its retry.attempts is not a whole number from 1: found '2'",
    );
    expect(refusal({ ...base, retry: { attempts: 0 } })).toContain(
      'its retry.attempts is not a whole number from 1: found 0',
    );
    expect(refusal({ ...base, safety: 'harmless' })).toContain(
      "its safety is not one of read, write, danger: found 'harmless'",
    );
    expect(refusal({ ...base, execute: 5 })).toContain('its execute is not a function: found 5');
  });

  test.each([
    [{ descripton: 'Adds.' }, 'its option `descripton` is unknown: did you mean `description`?'],
    [{ timeout: 5 }, 'its option `timeout` is unknown: did you mean `timeoutMs`?'],
    [{ attempts: 5 }, 'its option `attempts` is unknown: did you mean `retry.attempts`?'],
    [{ tags: 'sum' }, "its tags is not a list: found 'sum'"],
    [{ approval: 'always' }, "its approval is not a function: found 'always'"],
    [{ idempotent: 1 }, 'its idempotent is not a boolean: found 1'],
    [{ describe: 'adding' }, "its describe is not a function: found 'adding'"],
  ])('[M18] an option that there is not, and a value that does not fit: %j', (options, problem) => {
    expect(refusal({ ...base, ...options })).toBe(`Cannot define tool 'add' as ${problem}`);
  });

  test('[M18] all problems are named at once', () => {
    expect(refusal({ name: 'a b', input: 1 })).toBe(
      "Cannot define tool 'a b' as its name is not a name: found 'a b', write up to 256 letters, digits, and _ - . : /, the first a letter or _; " +
        'and as its description is not a text: found nothing, write what it does and when to use it, for the model; and as its execute is not a function: found nothing; ' +
        'and as its input is not a Standard Schema: 1',
    );
  });

  test('[M18] a schema of a library without JSON Schema needs parameters', () => {
    const input = {
      '~standard': { version: 1, vendor: 'plain', validate: (value: unknown) => ({ value }) },
    } as const;
    const execute = () => 1;
    expect(refusal({ ...base, input, execute })).toContain('there are no parameters: a schema of plain');
    const parameters = { type: 'object' };
    expect(tool({ ...base, input, execute, parameters }).parameters).toBe(parameters);
  });
});

describe('the parameters of a tool', () => {
  test('[QITOS-43] are the JSON Schema of its input', () => {
    expect(
      tool({
        ...base,
        input: z.object({
          name: z.string().describe('Who'),
          kind: z.enum(['a', 'b']).default('a'),
          deep: z.object({ list: z.array(z.number()) }).optional(),
          when: z.string().transform((text) => new Date(text)),
        }),
        execute: () => 1,
      }).parameters,
    ).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Who' },
        kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
        deep: {
          type: 'object',
          properties: { list: { type: 'array', items: { type: 'number' } } },
          required: ['list'],
        },
        when: { type: 'string' },
      },
      required: ['name', 'when'],
    });
  });

  test('[M18] are computed on first use, once', () => {
    const convert = vi.fn<() => { type: string }>(() => ({ type: 'object' }));
    const validate = (value: unknown) => ({ value });
    const input = {
      '~standard': { version: 1, vendor: 'other', validate, jsonSchema: { input: convert } },
    } as const;
    const defined = tool({ ...base, input, execute: () => 1 });
    expect(convert).not.toHaveBeenCalled();
    expect(defined.parameters).toBe(defined.parameters);
    expect(convert).toHaveBeenCalledOnce();
  });

  test('[F16] of a union have the type that providers insist on', () => {
    const input = z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('a') }),
      z.object({ kind: z.literal('b') }),
    ]);
    expect(tool({ ...base, input, execute: () => 1 }).parameters).toMatchObject({ type: 'object' });
  });

  test('[M18] must describe an object', () => {
    expect(() => tool({ ...base, input: z.string(), execute: () => 1 })).toThrow(
      "Cannot define tool 'add' as its input is not an object: string",
    );
  });
});

describe('a dynamic schema', () => {
  const raw = tool({
    name: 'raw',
    description: 'Takes all.',
    dynamicSchema: true,
    execute: (input) => input,
  });

  test('[TENEX-40] lets any input through as it is', () => {
    for (const input of [null, 'text', [1], { any: { thing: true } }]) {
      expect(performNow(raw, input)).toMatchObject({ ok: true, value: input });
    }
    expect(raw.dynamicSchema).toBe(true);
    expect(raw.parameters).toEqual({ type: 'object', additionalProperties: true });
  });

  test('[TENEX-40] without the flag, input is checked', () => {
    expect(performNow(tool(base), { any: true })).toMatchObject({ ok: false, kind: 'validation' });
  });

  test('[TENEX-40] excludes an input schema, whose types would lie', () => {
    expect(refusal({ ...base, dynamicSchema: true })).toContain('a dynamic schema excludes input');
  });
});

describe('approval', () => {
  test('[M18] is asked for dangerous tools, and where the tool says so', () => {
    expect(tool(base).needsApproval({})).toBe(false);
    expect(tool({ ...base, safety: 'danger' }).needsApproval({})).toBe(true);
    expect(tool({ ...base, safety: 'danger', approval: false }).needsApproval({})).toBe(false);
    expect(tool({ ...base, approval: true }).needsApproval({})).toBe(true);
  });

  test('[M18] may depend on the input; where it cannot tell, it says why, and a person is asked', () => {
    const large = tool({ ...base, approval: ({ a }) => a > 10 });
    expect(large.needsApproval({ a: 11, b: 0 })).toBe(true);
    expect(large.needsApproval({ a: 1, b: 0 })).toBe(false);
    const throws = tool({
      ...base,
      approval: () => {
        throw new Error('no idea');
      },
    });
    expect(() => throws.needsApproval({ a: 1, b: 0 })).toThrow('no idea');
    expect(needsApproval(throws, { id: 'c', name: 'add', input: { a: 1, b: 0 } })).toMatchObject({
      needsApproval: true,
      error: { message: expect.stringContaining('no idea') as string },
    });
  });
});

describe('the description for people', () => {
  test('[TENEX-38] is generic unless the tool has its own, so that no secret argument is shown', () => {
    expect(tool(base).describe({ a: 1, b: 2 })).toBe('Using add');
    expect(tool({ ...base, describe: ({ a, b }) => `Adding ${a} and ${b}` }).describe({ a: 1, b: 2 })).toBe(
      'Adding 1 and 2',
    );
  });

  test('[TENEX-38] falls back to the generic one for an input that does not fit, a throw and an empty text', () => {
    expect(tool({ ...base, describe: ({ a }) => a.toFixed() }).describe(null)).toBe('Using add');
    expect(tool({ ...base, describe: () => ' ' }).describe({ a: 1, b: 2 })).toBe('Using add');
    const throws = tool({
      ...base,
      describe: () => {
        throw new Error('no words');
      },
    });
    expect(throws.describe({ a: 1, b: 2 })).toBe('Using add');
  });
});

describe('an output schema', () => {
  const options = { ...base, output: z.object({ sum: z.number().default(0) }) };

  test('[M18] lets through what fits, as the schema gives it', async () => {
    expect(performNow(tool({ ...options, execute: () => ({}) }), { a: 1, b: 2 })).toMatchObject({
      value: { sum: 0 },
    });
    expect(
      await perform(tool({ ...options, execute: async () => ({ sum: 3 }) }), { a: 1, b: 2 }),
    ).toMatchObject({ value: { sum: 3 } });
    const twofold = tool({ ...options, execute: () => dual({ text: 'three', value: { sum: 3 } }) });
    expect(performNow(twofold, { a: 1, b: 2 })).toMatchObject({ text: 'three', value: { sum: 3 } });
  });

  test('[M18] makes a failure of what does not fit', () => {
    const wrong = define({ ...options, execute: () => ({ sum: 'three' }) });
    expect(performNow(wrong as ReturnType<typeof tool>, { a: 1, b: 2 })).toMatchObject({
      ok: false,
      kind: 'execution',
      text: "Cannot use the result of 'add' as it does not match its output schema: sum: Invalid input: expected number, received string",
    });
  });
});
