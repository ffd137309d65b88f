import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolResult } from '../../src/contracts/tools/tool-result.ts';
import {
  defaultLoopLimits,
  findLoop,
  fingerprint,
  remember,
} from '../../src/machines/stopping/loop-detection.ts';

const after = (...prints: readonly string[]) =>
  findLoop(
    prints.reduce<readonly string[]>((recent, print) => remember(recent, print, defaultLoopLimits), []),
    defaultLoopLimits,
  );
const call = (input: number) => ({ id: 'x', name: 'look', input, exclusive: false });
const result = (text: string): ToolResult => ({
  ok: true,
  callId: 'x',
  tool: 'look',
  text,
  value: text,
  durationMs: 0,
  attempts: 1,
});

describe('[F27] a loop', () => {
  test('is not two of a kind: real work repeats calls', () => {
    expect(after('a', 'a')).toBeUndefined();
    expect(after('a', 'b', 'a', 'b')).toBeUndefined();
  });

  test.each([
    [['a', 'a', 'a'], { period: 1, repeats: 3 }],
    [['x', 'a', 'a', 'a', 'a', 'a'], { period: 1, repeats: 5 }],
    [['a', 'b', 'a', 'b', 'a', 'b'], { period: 2, repeats: 3 }],
    [['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'], { period: 3, repeats: 3 }],
    ['abcdabcdabcdabcdabcd'.split(''), { period: 4, repeats: 5 }],
  ])('is found with its period and its rounds: %j', (prints, loop) => {
    expect(after(...prints)).toEqual(loop);
  });

  test('of five steps a round is not looked for, and one that was broken off is over', () => {
    expect(after(...'abcdeabcdeabcde'.split(''))).toBeUndefined();
    expect(after('a', 'a', 'a', 'b')).toBeUndefined();
  });

  test('is told by calls and results together: waiting for something to change is none', () => {
    expect(fingerprint([call(1)], [result('busy')])).toBe(fingerprint([call(1)], [result('busy')]));
    expect(fingerprint([call(1)], [result('busy')])).not.toBe(fingerprint([call(1)], [result('done')]));
    expect(fingerprint([call(1)], [result('busy')])).not.toBe(fingerprint([call(2)], [result('busy')]));
  });

  test('what is remembered is bounded, however long the run', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 200 }), (prints) => {
        const recent = prints.reduce<readonly string[]>(
          (kept, print) => remember(kept, print, defaultLoopLimits),
          [],
        );
        expect(recent.length).toBeLessThanOrEqual(20);
        expect(recent).toEqual(prints.slice(-20));
      }),
    );
  });
});
