import { printable } from '../../base/text/printable.ts';
import type { Paint } from '../terminal/paint.ts';
import type { Output } from '../terminal/terminal.ts';
import { widthOf } from '../terminal/terminal.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';

/** Longer lines are hard to read, on a screen however wide. */
const WIDEST = 100;

/**
 * Formats an answer: text with a line for each cited sentence and bold words bold (plain without colours), data as
 * JSON; wrapped at spaces for a terminal.
 */
export const answerText = (answer: unknown, output: Output, paint: Paint): string => {
  const text =
    typeof answer === 'string'
      ? printable(answer).trim().replaceAll(AFTER_CITATION, '$1\n')
      : printable(JSON.stringify(answer, null, 2));
  const shown = (lines: string): string =>
    typeof answer === 'string' ? lines.replaceAll(BOLD, (_, words: string) => paint.bold(words)) : lines;
  if (output.isTTY !== true) return `${shown(text)}\n`;
  const width = Math.min(WIDEST, Math.max(20, widthOf(output) - 4));
  const lines = text.split('\n').flatMap((line) => wrappedLine(line, width));
  return `${shown(lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')).replaceAll(
    CITATION,
    (cited) => paint.cyan(cited),
  )}\n`;
};

/** `[path:3-9]`, on one line. */
const CITATION = /\[[^[\]\n]{1,300}:\d+(?:-\d+)?\]/g;

/** The space between a citation and the next sentence; not before another citation, or the rest of a sentence. */
const AFTER_CITATION = /(\[[^[\]\n]{1,300}:\d+(?:-\d+)?\]) +(?=[^\s[\p{Ll}.,;:!?)])/gu;

/** Bold as Markdown writes it; not powers (`2 ** 3`) and patterns of paths. */
const BOLD = /(?<=^|[\s("“‘[])\*\*(?=[^\s*])([^*]{1,200})(?<=[^\s*])\*\*(?=$|[\s.,;:!?)"”’\]])/gmu;
