// Made from code points: written out, they would be control characters in this very file.
const [BEL, ESC, DCS, SOS, CSI, ST, OSC, PM, APC] = [
  0x07, 0x1b, 0x90, 0x98, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f,
].map((code) => String.fromCodePoint(code));

/** `ESC [ … m` and the like; `ESC ] … BEL` and the like; then the short ones. */
const escapes = new RegExp(
  [
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|[${OSC}${DCS}${SOS}${PM}${APC}])[^${BEL}${ESC}${ST}]*(?:${BEL}|${ST}|${ESC}\\\\)`,
    `${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'gu',
);

/** All control characters but tab and line feed, and the marks that turn the direction of writing. */
const invisible = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

/**
 * Text that is safe to print: terminal escapes, control characters and bidirectional overrides taken out.
 *
 * What models and tools say must pass through here before a terminal shows it, or it could move the cursor, write to
 * the clipboard or hide what it says. Tabs and line feeds stay.
 *
 * @example
 * printable('\u001b[31mred\u001b[0m\u0007') // => 'red'
 */
export const printable = (text: string): string =>
  text.replaceAll(/\r\n?/gu, '\n').replaceAll(escapes, '').replaceAll(invisible, '');

/**
 * {@link printable} text on one line, cut to `limit` characters (default 200) with an ellipsis.
 *
 * @example
 * oneLine('Reading\n  config.json') // => 'Reading config.json'
 */
export const oneLine = (text: string, limit = 200): string => {
  // Nothing beyond the limit is looked at, however long the text is: what is taken out is rarely longer than that.
  const line = printable(text.slice(0, limit * 20))
    .replaceAll(/\s+/gu, ' ')
    .trim();
  if (line.length <= limit) return line;
  // No half of a character that takes two units.
  return `${line.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
};

/**
 * A value as JSON on one line that a terminal may show: control characters and marks that turn the direction of writing are
 * escaped as JSON has it, and read back as what they were.
 */
export const printableJson = (value: unknown): string => JSON.stringify(value).replaceAll(RAW, escaped);

/** JSON escapes the first 32 control characters by itself; a terminal obeys these too. */
const RAW = /[\p{Cc}\u200E\u200F\u061C\u202A-\u202E\u2066-\u2069]/gu;

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
