import { messageOf } from './error.ts';

/** Longest value that a message quotes; longer ones are cut. */
const MOST = 120;

/**
 * Describes an unexpected value in words for an error message; JavaScript callers may pass anything.
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

/** A text, cut to a number of characters. */
export const short = (text: string, most = MOST): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
