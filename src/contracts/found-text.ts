import { messageOf } from './error.ts';

/** More of what was found than fits into a sentence says no more. */
const MOST = 120;

/**
 * The value that stands where something else should, in words for an error: JavaScript may put anything anywhere.
 *
 * @example
 * foundText('x'); // "'x'"
 * foundText(undefined); // 'nothing'
 */
export const foundText = (found: unknown): string => {
  if (found === undefined) return 'nothing';
  if (typeof found === 'function') return 'a function';
  if (typeof found === 'string') return `'${short(found)}'`;
  // As JSON NaN and Infinity would be null.
  return typeof found === 'number' ? String(found) : short(messageOf(found));
};

const short = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);
