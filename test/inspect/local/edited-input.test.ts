import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/base/json/json.ts';
import { editedInput } from '../../../src/inspect/local/edited-input.ts';

const original = { to: 'tok-1', list: ['a', 'tok-1', 'b'], deep: { key: 'tok-1', note: 'hi' }, count: 1 };
const mark = '[redacted TOKEN]';
const shown = { to: mark, list: ['a', mark, 'b'], deep: { key: mark, note: 'hi' }, count: 1 };

describe('arguments that a person edited as the page shows them', () => {
  test('are the original ones where nothing was changed, in whatever order', () => {
    const { to, ...rest } = shown;
    expect(editedInput({ ...rest, to }, original, shown)).toBeUndefined();
  });

  test.each<[string, Json, Json]>([
    ['a field', { ...shown, count: 2 }, { ...original, count: 2 }],
    [
      'a field beside a secret',
      { ...shown, deep: { key: mark, note: 'ho' } },
      { ...original, deep: { key: 'tok-1', note: 'ho' } },
    ],
    [
      'an item beside a secret',
      { ...shown, list: ['A', mark, 'b'] },
      { ...original, list: ['A', 'tok-1', 'b'] },
    ],
    ['a secret by another value', { ...shown, to: 'tok-2' }, { ...original, to: 'tok-2' }],
    ['a field that was not there', { ...shown, more: [1] }, { ...original, more: [1] }],
    ['all of it', { __proto__x: 1 }, { __proto__x: 1 }],
  ])('keep their secrets where %s was changed', (_, edited, meant) => {
    expect(editedInput(edited, original, shown)).toEqual(meant);
  });

  test.each<[string, Json]>([
    ['edited', { ...shown, to: `${mark}2` }],
    ['moved to another field', { ...shown, other: mark }],
    ['moved in a list', { ...shown, list: [mark, 'a', 'b'] }],
    ['made a name', { ...shown, [mark]: 1 }],
  ])('are refused where a mark of a secret was %s', (_, edited) => {
    expect(() => editedInput(edited, original, shown)).toThrow(
      `${mark} stands for a secret that is not shown`,
    );
  });

  test('are refused where their secret is not known here either', () => {
    expect(() => editedInput({ ...shown, count: 2 }, shown, shown)).toThrow('stands for a secret');
  });
});
