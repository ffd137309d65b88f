import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { act, answer } from '../../src/contracts/agents/decision.ts';
import { reasonAgainstTurn } from '../../src/contracts/conversations/check-turn.ts';
import { agent } from '../../src/runtime/define/agent.ts';
import { tool } from '../../src/tools/define/define-tool.ts';
import { cutText, isLongerThan, MAX_TEXT_BYTES } from '../../src/tools/calls/cut-text.ts';
import { dual, failure, isDual, NO_OUTPUT, success, textOf } from '../../src/tools/calls/tool-result.ts';
import { callOf } from './tool-context.ts';
import { anyCharacter } from '../support/any-character.ts';

const call = callOf('read', {});
const effort = { durationMs: 5, attempts: 1 };
const bytes = (text: string): number => new TextEncoder().encode(text).length;
/** Whether it holds half a character. */
const isTorn = (text: string): boolean => /\p{Surrogate}/u.test(text);

describe('what the model reads', () => {
  test.each<[unknown, string]>([
    ['as it is', 'as it is'],
    [42, '42'],
    [0, '0'],
    [false, 'false'],
    [null, 'null'],
    [[], '[]'],
    [{ a: [1, { b: null }] }, '{"a":[1,{"b":null}]}'],
    [undefined, NO_OUTPUT],
    ['', NO_OUTPUT],
    [' \n', NO_OUTPUT],
  ])('[DODO-23] of %j is %s, never nothing', (value, text) => {
    expect(textOf(value)).toBe(text);
    expect(success(call, value, effort).text).toBe(text);
  });

  test('[DODO-23] of a dual result without words is its value', () => {
    expect(success(call, dual({ text: '', value: { a: 1 } }), effort)).toMatchObject({
      text: '{"a":1}',
      value: { a: 1 },
    });
    expect(success(call, dual({ text: ' ' }), effort).text).toBe(NO_OUTPUT);
  });

  test('[DODO-23] of a failure is its message', () => {
    const error = { code: 'tool.failed', message: '', retryable: 'no' } as const;
    expect(failure(call, 'execution', error, effort).text).toBe(NO_OUTPUT);
    expect(failure(call, 'execution', { ...error, message: 'Cannot' }, effort).text).toBe('Cannot');
  });
});

test.each<[string, object]>([
  [
    'an async iterator: collect it, and return a value',
    (async function* () {
      yield 1;
    })(),
  ],
  ['an async iterator: collect it, and return a value', { async *[Symbol.asyncIterator]() {} }],
  [
    'an iterator: return a list of what it yields',
    (function* () {
      yield 1;
    })(),
  ],
  ['a Response: return await response.text(), or await response.json()', new Response('sunny')],
  ['a ReadableStream: return await new Response(stream).text()', new ReadableStream()],
])('a tool that returned %s: fails, rather than showing the model an empty object', async (found, value) => {
  for (const returned of [value, dual({ value })])
    expect(() => success(call, returned, effort)).toThrow(
      `Cannot use the result of 'read' as it returned ${found}`,
    );
  const look = tool({ name: 'look', description: 'Looks.', input: z.object({}), execute: () => value });
  const { records } = await agent({
    name: 'clerk',
    tools: [look],
    decide: ({ step }) => (step === 0 ? act({ name: 'look', input: {} }) : answer('done')),
  }).run('go');
  expect(records[0]?.results).toMatchObject([
    { ok: false, text: `Cannot use the result of 'look' as it returned ${found}`, attempts: 1 },
  ]);
});

test('a tool that throws undefined says so', async () => {
  const look = tool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: () => Promise.reject(undefined as unknown as Error),
  });
  const { records } = await agent({
    name: 'clerk',
    tools: [look],
    decide: ({ step }) => (step === 0 ? act({ name: 'look', input: {} }) : answer('done')),
  }).run('go');
  expect(records[0]?.results[0]?.text).toBe("Cannot finish 'look' as it failed: it threw undefined");
});

test('a turn with `content` is told to write `text`', () => {
  expect(reasonAgainstTurn({ role: 'user', content: 'hi' })).toBe(
    'has no text: null, write `text` in place of `content`',
  );
});

test('a page of results that can be iterated over shows its own data', () => {
  const page = { data: [1], async *[Symbol.asyncIterator]() {} };
  expect(success(call, page, effort).text).toBe('{"data":[1]}');
});

describe('what the program gets', () => {
  test('[TENEX-44] is plain JSON, whatever the tool returned', () => {
    const when = new Date(0);
    expect(
      success(call, { when, big: 10n, map: new Map([['a', 1]]), none: undefined }, effort).value,
    ).toEqual({
      when: '1970-01-01T00:00:00.000Z',
      big: '10',
      map: [['a', 1]],
    });
    expect(success(call, NaN, effort).value).toBe('NaN');
  });

  test('[TENEX-44] does not change when the tool changes its own list later', () => {
    const list = [1];
    const result = success(call, list, effort);
    list.push(2);
    expect(result.value).toEqual([1]);
  });

  test('[TENEX-44] text and value part only where dual() says so, not for whatever has a text', () => {
    const looksAlike = { text: 'sunny', value: 21 };
    expect(isDual(looksAlike)).toBe(false);
    expect(success(call, looksAlike, effort)).toMatchObject({
      text: JSON.stringify(looksAlike),
      value: looksAlike,
    });
    expect(success(call, dual(looksAlike), effort)).toMatchObject({ text: 'sunny', value: 21 });
  });

  test('[TENEX-45] control and artifacts are kept', () => {
    const artifacts = [{ name: 'chart.svg', mediaType: 'image/svg+xml', content: '<svg/>' }];
    const control = { type: 'complete', answer: 'done' } as const;
    expect(success(call, dual({ text: 'done', artifacts, control }), effort)).toMatchObject({
      artifacts,
      control,
      value: null,
    });
    expect(success(call, 'plain', effort)).not.toHaveProperty('control');
    expect(success(call, 'plain', effort)).not.toHaveProperty('artifacts');
  });
});

describe('a text that is too long', () => {
  test('[M20] stays as it is up to the last byte', () => {
    const fits = 'ü'.repeat(MAX_TEXT_BYTES / 2);
    expect(MAX_TEXT_BYTES).toBe(65_536);
    expect(isLongerThan(fits, MAX_TEXT_BYTES)).toBe(false);
    expect(isLongerThan(`${fits}x`, MAX_TEXT_BYTES)).toBe(true);
  });

  test('[M20] is its beginning, a mark that says what is left out, and its end; no character is cut in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, minLength: 200, maxLength: 600 }),
        fc.integer({ min: 150, max: 400 }),
        (whole, limit) => {
          fc.pre(isLongerThan(whole, limit));
          const text = cutText(whole, 'read-1', limit);
          expect(bytes(text)).toBeLessThanOrEqual(limit);
          const mark =
            /\n\[cut here: characters (\d+) to (\d+) of (\d+) are left out, read_result reads them by the id 'read-1'\]\n/;
          const [found = '', from, to, of] = mark.exec(text) ?? [];
          const [head, tail] = [whole.slice(0, Number(from) - 1), whole.slice(Number(to))];
          expect(Number(of)).toBe(whole.length);
          expect(head + found + tail).toBe(text);
          const middle = whole.slice(head.length, Number(to));
          expect([head, middle, tail].some(isTorn)).toBe(isTorn(whole));
        },
      ),
    );
  });
});
