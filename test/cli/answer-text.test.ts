import { describe, expect, test } from 'vitest';
import { answerText } from '../../src/cli/words/answer-text.ts';
import { paintFor } from '../../src/cli/terminal/paint.ts';
import type { Output } from '../../src/cli/terminal/terminal.ts';

const shown = (answer: unknown, isTTY: boolean): string => {
  const output: Output = { isTTY, columns: 80, write: () => undefined };
  return answerText(answer, output, paintFor(output, {}, true));
};
const inColour = (process.env['NO_COLOR'] ?? '') === '';

describe('an answer', () => {
  test('has a line for each cited sentence', () => {
    expect(shown('It is 3. [a.md:1-2] So be it. [b.md:3] [c.md:4-5] **All** is said.', false)).toBe(
      'It is 3. [a.md:1-2]\nSo be it. [b.md:3] [c.md:4-5]\nAll is said.\n',
    );
  });

  test('goes on in its line after a citation in mid-sentence', () => {
    const text = 'As [a.md:1-2] says, and [b.md:3], it is 3.\n';
    expect(shown(text, false)).toBe(text);
  });

  test.runIf(inColour)('shows bold words bold on a terminal, and plain without asterisks elsewhere', () => {
    expect(shown('**CRITIC** judges.', true)).toBe('  \u001b[1mCRITIC\u001b[22m judges.\n');
    expect(shown('**CRITIC** judges.', false)).toBe('CRITIC judges.\n');
  });

  test('keeps asterisks that are no marks', () => {
    for (const text of ['2 ** 3 ** 4', '2**3**4', 'src/**/*.ts and test/**/*.ts', '** open'])
      expect(shown(text, false)).toBe(`${text}\n`);
  });

  test('that is data is printed as it is', () => {
    expect(shown({ said: '**Yes.** [a.md:1] No.' }, false)).toBe('{\n  "said": "**Yes.** [a.md:1] No."\n}\n');
  });
});
