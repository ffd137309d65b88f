import { cellsOf } from '../terminal/cells.ts';
import { wrappedLine } from '../terminal/wrapped-text.ts';

/** Something to say, and the command to type next, if there is one. */
export interface Notice {
  readonly words: string;
  readonly command?: string | undefined;
}

/** Formats a notice behind a mark of one cell: on one line where it fits; else the words are wrapped, and the command is below them. */
export const noticeLines = (
  mark: string,
  { words, command }: Notice,
  columns: number,
  indent = '  ',
): readonly string[] => {
  const whole = `${indent}${mark} ${command === undefined ? words : `${words} · ${command}`}`;
  const room = columns - indent.length - 2;
  if (cellsOf(words) + (command === undefined ? 0 : cellsOf(command) + 3) <= room) return [whole];
  const rest = command === undefined ? [] : typedLines(command, room);
  return [...wrappedLine(words, room), ...rest].map(
    (line, index) => `${indent}${index === 0 ? mark : ' '} ${line}`,
  );
};

/** A word of a shell, quoted or not. */
const WORD = /(?:'[^']*'|[^ '])+/g;

/** A command on as many lines as it needs, which a shell reads as one: it can be copied whole. */
const typedLines = (command: string, cells: number): readonly string[] => {
  if (cellsOf(command) <= cells) return [command];
  const lines: string[] = [];
  let line = '';
  for (const word of command.match(WORD) ?? []) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && cellsOf(longer) + END.length > cells) {
      lines.push(`${line}${END}`);
      line = `  ${word}`;
    } else line = longer;
  }
  return [...lines, line];
};

/** Tells a shell that the command goes on. */
const END = ' \\';
