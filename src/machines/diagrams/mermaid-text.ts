import { oneLine } from '../../base/text/printable.ts';

/** Words that begin an order of Mermaid's if a colon follows. */
const ORDERS = /wrap|style|classdef/i;

/**
 * Text as a Mermaid diagram shows it: all but letters, digits and harmless marks is written by its number, as Mermaid wants it, so that
 * nothing in it ends a line, begins a comment or is markup.
 *
 * @example
 * mermaidText('a; b: #1') // => 'a#59; b: #35;1'
 */
export const mermaidText = (text: string, limit = 100): string => {
  const line = oneLine(text, limit);
  if (line === '') return '–';
  const escaped = line
    .replaceAll(/[^\p{L}\p{M}\p{N} .,:!?()[\]{}"'’_/+=–…-]/gu, (character) => `#${character.codePointAt(0)};`)
    // The end of a block.
    .replaceAll(/\bend\b/giu, (word) => `${word.slice(0, 1)}#${word.charCodeAt(1)};${word.slice(2)}`);
  return ORDERS.test(line) ? escaped.replaceAll(':', '#58;') : escaped;
};
