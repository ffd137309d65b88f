import type { Finding } from './finding.ts';

/** `[path:3-9] A title` on a line of its own, above its passage. */
const HEADING = /^\[([^[\]\n]{1,300}:\d+(?:-\d+)?)\]([^\n]*)$/gm;

/** The passages that a tool printed, each below its citation. */
export const passagesIn = (printed: string): readonly Finding[] => {
  const headings = [...printed.matchAll(HEADING)];
  return headings.map((heading, index) => {
    const start = heading.index + heading[0].length;
    const title = heading[2] ?? '';
    return {
      citation: heading[1] ?? '',
      text: `${title}\n${printed.slice(start, headings[index + 1]?.index)}`.trim(),
    };
  });
};

/**
 * Checks whether the passages contain `text` verbatim. Layout (line breaks, Markdown, the stars of a comment) is
 * ignored, and an ellipsis matches omitted text.
 */
export const quotes = (passages: readonly string[], text: string): boolean => {
  const printed = passages.map(wordsOf).join(' ');
  const pieces = text
    .split(/…|\.{3}/)
    .map(wordsOf)
    .filter((piece) => piece !== '');
  return pieces.length > 0 && pieces.every((piece) => printed.includes(piece));
};

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
