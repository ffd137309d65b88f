import { printable } from '../events/printable.ts';
import type { Paint } from './paint.ts';
import type { Output } from './terminal.ts';

/** Longer lines are hard to read, on a screen however wide. */
const WIDEST = 100;

/** An answer as it is printed: text as it is, data as JSON; broken at spaces where a person reads it. */
export const answerText = (answer: unknown, output: Output, paint: Paint): string => {
  const text = printable(typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2)).trim();
  if (output.isTTY !== true) return `${text}\n`;
  const width = Math.min(WIDEST, Math.max(20, (output.columns ?? 80) - 4));
  const lines = text.split('\n').flatMap((line) => broken(line, width));
  return `${lines
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n')
    .replaceAll(CITATION, (cited) => paint.cyan(cited))}\n`;
};

/** `[path:3-9]`, on one line. */
const CITATION = /\[[^[\]\n]{1,300}:\d+(?:-\d+)?\]/g;

const broken = (line: string, width: number): readonly string[] => {
  if (line.length <= width) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  return [...lines, current];
};
