import { DEEPEST } from './bounded-lexer.ts';
import { LONGEST } from './prose-of.ts';

/**
 * Indents a text that is a JSON object or array; undefined for any other, and for one that is too long or nests too deep to be
 * read.
 *
 * Values stand as they are written: parsed and formatted again, a long number would be another one.
 */
export const indentJson = (text: string): string | undefined => {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST || !/^[[{]/.test(trimmed) || !isJson(trimmed)) return undefined;
  let depth = 0;
  let before = '';
  let indented = '';
  for (const [piece] of trimmed.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g)) {
    const isOpened = before === '[' || before === '{';
    const isClosing = piece === ']' || piece === '}';
    if (isOpened) depth += 1;
    if (isClosing) depth -= 1;
    if (depth > DEEPEST) return undefined;
    if (before === ',' || (isOpened && !isClosing) || (isClosing && !isOpened))
      indented += `\n${'  '.repeat(depth)}`;
    indented += piece === ':' ? ': ' : piece;
    before = piece;
  }
  return indented;
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
