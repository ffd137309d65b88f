/** Text of a page that is markup, made by {@link markup} alone: nothing else gets into a page as it is. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a page: markup, text that is escaped, several of them, or nothing. */
export type Shown = Markup | string | number | undefined | readonly Shown[];

/**
 * Markup with values in it. A value that is no markup is text: whatever it says, it is shown, and does nothing.
 *
 * @example
 * markup`<p>${'<script>alert(1)</script>'}</p>`.toString() // => '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>'
 */
export const markup = (parts: TemplateStringsArray, ...values: readonly Shown[]): Markup =>
  new Markup(
    parts
      // Indented for whoever reads the source.
      .map(
        (part, index) =>
          part.replaceAll(/\n +/g, '\n') + (index < values.length ? textOf(values[index]) : ''),
      )
      .join(''),
  );

const textOf = (value: Shown): string => {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(textOf).join('');
  return escapeText(String(value));
};

/** Characters that a page would obey, and those that hide or turn what is written. */
const ODD =
  /[&<>"'`]|(?![\t\n])\p{Cc}|[\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]|[\uD800-\uDFFF]/gu;

/** Text as a page shows it: nothing in it is markup, and what could not be seen is spelled out. */
export const escapeText = (text: string): string =>
  text.replaceAll(ODD, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return ENTITIES[character] ?? `\\u{${code.toString(16).toUpperCase()}}`;
  });

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
  // Emoji are joined by it.
  '\u200D': '\u200D',
};

/** Of one text, so many characters are shown. */
const LONGEST = 20_000;

/** A text of any length in a block of its own, cut where it is too long to be read. */
export const block = (text: string): Markup => {
  if (text.length <= LONGEST) return markup`<pre>${text}</pre>`;
  const head = text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, '');
  return markup`<pre>${head}</pre>
    <p class="note">… ${grouped(text.length - LONGEST)} more characters</p>`;
};

/** Data as indented JSON. */
export const dataBlock = (value: unknown): Markup =>
  block(typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? ''));

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });

export const grouped = (count: number): string => number.format(count);

/** A time span in the unit that suits it. */
export const lasting = (ms: number): string => {
  if (ms < 1_000) return `${grouped(ms)} ms`;
  if (ms < 120_000) return `${grouped(ms / 1_000)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
};
