/** The name of the tool that reads what was cut. */
export const READ_RESULT = 'read_result';

/** Default limit on one text of a model or a tool in a conversation, mark included: 64 KiB of UTF-8. */
export const MAX_TEXT_BYTES = 65_536;

/** No UTF-16 unit takes more bytes than this: shorter texts need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/** Share of the limit that is left to the end of a text: that is where a command says how it went. */
const TAIL_SHARE = 0.25;

/** Checks whether a text takes more bytes of UTF-8 than a limit. */
export const isLongerThan = (text: string, maxBytes: number): boolean =>
  text.length * MOST_BYTES_PER_UNIT > maxBytes && fittingLength(text, maxBytes) < text.length;

/**
 * Cuts a text to a limit in bytes of UTF-8: its beginning and its end stay, and a mark between them says by which name the whole is read.
 *
 * @example
 * cutText('x'.repeat(70_000), 'read-5fd924625f6a', 65_536).includes("of 70000 are left out") // => true
 */
export const cutText = (text: string, name: string, maxBytes: number): string => {
  const room = Math.max(0, maxBytes - sizeOf(markOf(text, text.length, text.length, name)));
  const tailBytes = Math.floor(room * TAIL_SHARE);
  const head = fittingLength(text, room - tailBytes);
  const tail = Math.max(head, text.length - fittingTail(text, tailBytes));
  return text.slice(0, head) + markOf(text, head, tail, name) + text.slice(tail);
};

/** Longest at the end of the text, as its numbers have the most digits there. */
const markOf = (text: string, from: number, to: number, name: string): string =>
  `\n[cut here: characters ${from + 1} to ${to} of ${text.length} are left out, ${READ_RESULT} reads them by the id '${name}']\n`;

/** Returns the length of the longest beginning of a text within `bytes`, in UTF-16 units; never splits a character. */
export const fittingLength = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;

/** Returns the length of the longest end of a text within `bytes`, in UTF-16 units; never splits a character. */
const fittingTail = (text: string, bytes: number): number => {
  // No unit takes less than a byte.
  const candidate = new TextEncoder().encode(text.slice(Math.max(0, text.length - bytes)));
  let start = Math.max(0, candidate.length - bytes);
  while (isContinuation(candidate[start])) start += 1;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(candidate.subarray(start)).length;
};

/** Checks whether a byte of UTF-8 belongs to the character before it. */
const isContinuation = (byte = 0): boolean => (byte & 0xc0) === 0x80;

const sizeOf = (text: string): number => new TextEncoder().encode(text).length;
