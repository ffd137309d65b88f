import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capOutput, MAX_OUTPUT_BYTES } from '../../src/tools/calls/cap-output.ts';
import { dual, failure, isDual, NO_OUTPUT, success, textOf } from '../../src/tools/calls/tool-result.ts';
import { callOf } from './tool-context.ts';

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
  test('[TENEX-Q04] is cut at 65,536 bytes, marker included; the whole of it is an artifact, and the value', () => {
    expect(MAX_OUTPUT_BYTES).toBe(65_536);
    const whole = 'x'.repeat(100_000);
    const result = success(call, whole, effort);
    expect(bytes(result.text)).toBeLessThanOrEqual(MAX_OUTPUT_BYTES);
    expect(result.text).toMatch(
      /\n\[cut here: all 100000 characters are in the artifact 'read-call_0_0.txt']$/,
    );
    expect(result.artifacts).toEqual([
      { name: 'read-call_0_0.txt', mediaType: 'text/plain', content: whole },
    ]);
    expect(result.value).toBe(whole);
  });

  test('[M20] stays as it is up to the last byte', () => {
    const fits = 'x'.repeat(MAX_OUTPUT_BYTES);
    expect(capOutput(fits, call)).toEqual({ text: fits, artifacts: [] });
    expect(capOutput(`${fits}x`, call).artifacts).toHaveLength(1);
  });

  test('[M20] comes after the artifacts of the tool itself', () => {
    const own = { name: 'own.txt', mediaType: 'text/plain', content: 'mine' };
    const both = dual({ text: 'x'.repeat(100_000), artifacts: [own] });
    expect(success(call, both, effort).artifacts?.map(({ name }) => name)).toEqual([
      'own.txt',
      'read-call_0_0.txt',
    ]);
  });

  test('[M20] is the head of its artifact, which is the whole; no character is cut in two', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.integer({ min: 120, max: 400 }),
        (whole, limit) => {
          const { text, artifacts } = capOutput(whole, call, limit);
          expect(bytes(text)).toBeLessThanOrEqual(limit);
          const head = artifacts.length === 0 ? text : text.slice(0, text.lastIndexOf('\n[cut here: '));
          expect(artifacts[0]?.content ?? text).toBe(whole);
          expect(whole.startsWith(head)).toBe(true);
          expect(isTorn(head) || isTorn(whole.slice(head.length))).toBe(isTorn(whole));
        },
      ),
    );
  });
});
