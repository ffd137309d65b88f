import type { MarkedToken, Token, Tokens } from 'marked';
import { hasManyMarks } from '../../drawing/plain-text.ts';
import { DEEPEST, tokensOf } from './bounded-lexer.ts';

/** The elements that a Markdown text is made of. */
export type ProseTag =
  | `h${2 | 3 | 4 | 5 | 6}`
  | 'p'
  | 'ul'
  | 'ol'
  | 'li'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td'
  | 'pre'
  | 'code'
  | 'blockquote'
  | 'hr'
  | 'strong'
  | 'em'
  | 'del'
  | 'a';

/** An element of a text, with all that it has. */
export interface ProseElement {
  readonly tag: ProseTag;
  readonly children: readonly Prose[];
  /** Of `a`: an address that is safe to follow. */
  readonly href?: string | undefined;
  /** Of `ol`: its first number. */
  readonly start?: number | undefined;
}

/** A part of a text: an element, or text that stands as it is. */
export type Prose = string | ProseElement;

/** Longer texts are shown plain. */
export const LONGEST = 100_000;
/** The number of characters for which a text makes at most one element. */
const SPARSEST = 6;
const LEAST = 100;

/** The beginning of a text that was read, and the number of characters that it leaves out. */
export interface ReadProse {
  readonly parts: readonly Prose[];
  readonly rest: number;
}

/**
 * Reads the first `length` characters of a text as Markdown; undefined if it is too long for that, or has too many characters that
 * are not seen.
 *
 * HTML, images and addresses that are not safe to follow stand as they are written, as does what nests too deep or would
 * make too many elements.
 */
export const proseOf = (text: string, length = text.length): ReadProse | undefined => {
  const read = beginningOf(text, length);
  if (text.length > LONGEST || hasManyMarks(read)) return undefined;
  try {
    const parts = new ProseWriter(Math.max(LEAST, read.length / SPARSEST)).write(tokensOf(read), 1);
    return { parts, rest: text.length - read.length };
  } catch {
    // The lexer gave up.
    return undefined;
  }
};

/** The beginning of a text, where possible up to the end of a line, so that no element is cut. */
const beginningOf = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const end = text.lastIndexOf('\n', length);
  return text.slice(0, end > length / 2 ? end : length);
};

class ProseWriter {
  /** The number of elements that may still be made. */
  #left: number;
  #rank = 1;

  constructor(most: number) {
    this.#left = most;
  }

  write(tokens: readonly Token[] | undefined, depth: number): readonly Prose[] {
    // Only extensions make tokens of other kinds, and there are none.
    return (tokens ?? []).flatMap((token) => this.#writeOne(token as MarkedToken, depth));
  }

  #writeOne(token: MarkedToken, depth: number): Prose | readonly Prose[] {
    if (depth > DEEPEST || this.#left < 1) return token.raw;
    switch (token.type) {
      case 'space':
        return [];
      case 'text':
        return token.tokens === undefined ? token.text : this.write(token.tokens, depth);
      case 'escape':
        return token.text;
      case 'br':
        return '\n';
      case 'checkbox':
        return token.checked ? '☑ ' : '☐ ';
      case 'heading':
        return this.#make(this.#headingOf(token.depth), token, depth);
      case 'paragraph':
        return this.#make('p', token, depth);
      case 'blockquote':
      case 'strong':
      case 'em':
      case 'del':
        return this.#make(token.type, token, depth);
      case 'hr':
        return this.#made('hr', []);
      case 'codespan':
        return this.#made('code', [token.text]);
      case 'code':
        return this.#made('pre', [this.#made('code', [token.text])]);
      case 'list':
        return this.#list(token, depth);
      case 'table':
        return this.#table(token, depth);
      case 'link':
        return this.#link(token, this.#left < 2 ? [token.text] : this.write(token.tokens, depth + 1));
      case 'image':
        return this.#link(token, [token.text === '' ? token.href : token.text]);
      // Also definitions of links, which would not be seen otherwise.
      default:
        return this.#verbatim(token);
    }
  }

  #made(tag: ProseTag, children: readonly Prose[], more: Partial<ProseElement> = {}): ProseElement {
    this.#left -= 1;
    return { tag, children, ...more };
  }

  #make(tag: ProseTag, { tokens }: { readonly tokens: readonly Token[] }, depth: number): ProseElement {
    const element = this.#made(tag, []);
    return { ...element, children: this.write(tokens, depth + 1) };
  }

  /** A heading is at most one level below the one before it, whatever the text says, so that levels are never left out. */
  #headingOf(depth: number): ProseTag {
    this.#rank = Math.min(depth + 1, this.#rank + 1, 6);
    return `h${rankOf(this.#rank)}`;
  }

  #list(list: Tokens.List, depth: number): Prose {
    const { ordered, start, items } = list;
    if (!this.#reserve(1 + items.length)) return this.#verbatim(list);
    const children = items.map(({ tokens }): Prose => ({
      tag: 'li',
      children: this.write(tokens, depth + 1),
    }));
    return { tag: ordered ? 'ol' : 'ul', children, ...(ordered && start !== '' ? { start } : {}) };
  }

  #table(table: Tokens.Table, depth: number): Prose {
    const { header, rows } = table;
    const parts = rows.length === 0 ? 2 : 3;
    if (!this.#reserve(parts + (1 + rows.length) * (1 + header.length))) return this.#verbatim(table);
    const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): Prose => ({
      tag: 'tr',
      children: cells.map(({ tokens }): Prose => ({ tag, children: this.write(tokens, depth + 1) })),
    });
    const head: Prose = { tag: 'thead', children: [row(header, 'th')] };
    const body: Prose = { tag: 'tbody', children: rows.map((cells) => row(cells, 'td')) };
    return { tag: 'table', children: rows.length === 0 ? [head] : [head, body] };
  }

  /** Takes the elements that something is made of from those that are left, before what is in it takes any. */
  #reserve(count: number): boolean {
    if (count >= this.#left) return false;
    this.#left -= count;
    return true;
  }

  #link({ href, raw }: Tokens.Link | Tokens.Image, children: readonly Prose[]): Prose {
    const address = safeAddress(href);
    return address === undefined ? raw : this.#made('a', children, { href: address });
  }

  #verbatim({ raw, type, ...rest }: MarkedToken): Prose {
    const isInline = type === 'html' && 'block' in rest && !rest.block;
    return isInline ? raw : this.#made('p', [raw.trimEnd()]);
  }
}

const ranks = [2, 3, 4, 5, 6] as const;

const rankOf = (rank: number): (typeof ranks)[number] => ranks[rank - 2] ?? 6;

/** The address of a link if it may be followed: of a page or a mailbox. */
export const safeAddress = (given: string): string | undefined => {
  if (!/^(?:https?|mailto):/i.test(given) || !URL.canParse(given)) return undefined;
  return new URL(given).href;
};
