import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json/json.ts';
import { fitJson, fitText } from '../../../src/inspect/telemetry/spans/fit-json.ts';
import { messagesLeftOut } from '../../../src/inspect/telemetry/spans/span-messages.ts';

const textOf = (length: number, sign = 'x'): string => sign.repeat(length);

/** Small pseudo-random numbers: the same in every run. */
const randomOf = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
};

const valueOf = (random: () => number, depth: number): Json => {
  const kind = Math.floor(random() * (depth > 3 ? 4 : 6));
  const count = Math.floor(random() * 30);
  if (kind === 0) return Math.floor(random() * 1e9);
  if (kind === 1) return random() < 0.5;
  if (kind === 2) return textOf(Math.floor(random() * 3_000), random() < 0.5 ? '😀' : '"\n');
  if (kind === 3) return textOf(count, 'é');
  const items = Array.from({ length: count }, () => valueOf(random, depth + 1));
  return kind === 4 ? items : Object.fromEntries(items.map((item, index) => [`field ${index}`, item]));
};

describe('content that is longer than a span may have', () => {
  test('stays JSON within the bound, whatever it is', () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = randomOf(seed);
      const value = [valueOf(random, 0), valueOf(random, 0)];
      for (const longest of [1, 2, 40, 300, 2_000, 20_000]) {
        const fitted = fitJson(value, longest);
        expect(fitted.length).toBeLessThanOrEqual(Math.max(2, longest));
        expect(JSON.parse(fitted)).toBeInstanceOf(Array);
      }
    }
  });

  test('is whole where it fits, to the last character', () => {
    const value = { text: textOf(100, '"') };
    const whole = JSON.stringify(value);
    expect(fitJson(value, whole.length)).toBe(whole);
    expect(fitJson(value, whole.length - 1)).not.toBe(whole);
  });

  test('loses its longest texts first, says how much, and uses the room that it has', () => {
    const value = [{ text: 'short' }, { text: textOf(5_000) }, { text: textOf(200, 'y') }];
    const fitted = fitJson(value, 1_000);
    expect(JSON.parse(fitted)).toEqual([
      { text: 'short' },
      { text: expect.stringMatching(/^x{600,}… \[4\d\d\d more characters\]$/) },
      { text: textOf(200, 'y') },
    ]);
    expect(fitted.length).toBeGreaterThan(950);
    const [, { text }] = JSON.parse(fitted) as [unknown, { text: string }];
    const [, missing] = /\[(\d+) more/.exec(text) ?? [];
    expect(text.indexOf('…') + Number(missing)).toBe(5_000);
  });

  test('keeps the names by which its readers know it', () => {
    const name = `mcp__${textOf(80, 'n')}`;
    const parts = Array.from({ length: 30 }, (_, index) => ({
      type: 'tool_call_response',
      id: `call_with_a_long_identifier_${index}`,
      name,
      response: textOf(1_000),
    }));
    const shown = JSON.parse(fitJson([{ role: 'tool', parts }], 8_192)) as [{ parts: typeof parts }];
    for (const [index, part] of shown[0].parts.entries())
      expect(part).toMatchObject({ type: 'tool_call_response', id: parts[index]?.id, name });
  });

  test('keeps its first message and its last ones, with a gap that says how many are missing', () => {
    const messages = Array.from({ length: 1_000 }, (_, index) => ({
      role: 'user',
      parts: [{ type: 'text', content: `number ${index} ${textOf(100)}` }],
    }));
    const shown = JSON.parse(fitJson(messages, 8_192, messagesLeftOut)) as typeof messages;
    const missing = 1_000 - (shown.length - 1);
    expect(shown[1]).toEqual({
      role: 'omitted',
      parts: [{ type: 'text', content: expect.stringContaining(String(missing)) }],
    });
    const told = shown.filter(({ role }) => role === 'user').map(({ parts }) => parts[0]?.content ?? '');
    expect(told[0]).toMatch(/^number 0 /);
    for (const [index, text] of told.slice(1).entries())
      expect(text).toMatch(new RegExp(`^number ${missing + 1 + index} `));
    expect(told.length).toBeGreaterThan(50);
  });

  test('is not cut through a character of two halves', () => {
    for (const longest of [100, 101, 102, 103]) {
      const { text } = JSON.parse(fitJson({ text: textOf(500, '😀') }, longest)) as { text: string };
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    }
  });

  test('remains JSON as a text of a tool, and a marked text as any other', () => {
    const rows = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, note: textOf(200) })));
    expect(rows.length).toBeGreaterThan(1_000_000);
    expect(JSON.parse(fitText(rows, 8_192))).toContainEqual({ id: 4_999, note: expect.any(String) });
    const plain = fitText(textOf(1_048_576), 8_192);
    expect(plain).toHaveLength(8_192);
    expect(plain).toMatch(/x… \[\d+ more characters\]$/);
    expect(fitText('{ no JSON', 5)).toBe('{ no…');
  });
});
