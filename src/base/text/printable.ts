// By name, as literals would be control characters in this file.
const BEL = '\u0007';
const ESC = '\u001b';

/** Controls of one character that stand for ESC and a letter, 64 below: DCS, SOS, CSI, ST, OSC, PM, APC. */
const shortForms = /[\x90\x98\x9b-\x9f]/gu;

const longForm = (control: string): string => ESC + String.fromCharCode(control.charCodeAt(0) - 64);

/** `ESC [ … m` and the like; `ESC ] … BEL` and the like; then the short ones. */
const escapes = new RegExp(
  `${ESC}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\\\)|[ -/]*[0-~])`,
  'gu',
);

/** Control characters except tab and line feed, and bidirectional marks. */
const invisible = /(?![\t\n])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text that is safe to print: without terminal escapes, control characters and bidirectional overrides.
 *
 * Texts of models and tools have to pass through here before a terminal shows them, otherwise they could move the cursor, write to the
 * clipboard or hide text. Tabs and line feeds stay.
 *
 * @example
 * printable('\u001b[31mred\u001b[0m\u0007') // => 'red'
 */
export const printable = (text: string): string =>
  text
    .replaceAll(/\r\n?/gu, '\n')
    .replaceAll(shortForms, longForm)
    .replaceAll(escapes, '')
    .replaceAll(invisible, '');

/**
 * {@link printable} text on one line, cut to `limit` characters (default 200) with an ellipsis.
 *
 * @example
 * oneLine('Reading\n config.json') // => 'Reading config.json'
 */
export const oneLine = (text: string, limit = 200): string => {
  // Bounded however long the text is: removed parts are rarely longer than that.
  const line = printable(text.slice(0, limit * 20))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  if (line.length <= limit) return line;
  // Removes half a surrogate pair.
  return `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
};

/**
 * JSON on one line that is safe for terminals: control characters and bidirectional marks are escaped as JSON, and parsed back unchanged.
 */
export const printableJson = (value: unknown): string => escapedJson(JSON.stringify(value));

/** JSON with the characters that a terminal or a reader could be misled by written as their numbers. */
export const escapedJson = (json: string): string => json.replaceAll(RAW, escapeCharacter);

/** JSON escapes the first 32 control characters by itself; terminals obey these too. */
const RAW = /[\p{Cc}\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/gu;

const escapeCharacter = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
