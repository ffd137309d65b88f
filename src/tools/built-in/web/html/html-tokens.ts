import { decodeReferences } from './character-references.ts';

/** A tag, or the text between two. Names are in lower case. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string };

/** Elements whose content is text up to their end tag, whatever it looks like. */
const RAW: ReadonlySet<string> = new Set(
  'script style title textarea xmp iframe noembed noframes noscript plaintext'.split(' '),
);

const NAME = /[a-zA-Z][^\s/>]*/y;
const BETWEEN = /[\s/]*/y;
const ATTRIBUTE = /[^\s/>][^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const UNQUOTED = /[^\s>]*/y;

/** Attributes of one tag that are read; the others are passed over. */
const MOST_ATTRIBUTES = 100;

/**
 * Reads HTML as browsers do, in time that grows with its length: comments, declarations and what is cut off are dropped, any other mistake is text.
 * Content of `script`, `style` and the like is one text.
 *
 * @example
 * [...htmlTokens('<b>hi<!-- no --></b>')].map(({ kind }) => kind) // => ['open', 'text', 'close']
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  const reader = new TagReader(html);
  let from = 0;
  while (from < html.length) {
    const at = html.indexOf('<', from);
    const end = at < 0 ? html.length : at;
    if (end > from) yield { kind: 'text', text: decodeReferences(html.slice(from, end)) };
    if (at < 0) return;
    const token = reader.read(at);
    from = reader.end;
    if (token === undefined) continue;
    yield token;
    if (token.kind !== 'open' || !RAW.has(token.name)) continue;
    const stop = rawEnd(html, from, token.name);
    const raw = html.slice(from, stop);
    const text = token.name === 'title' || token.name === 'textarea' ? decodeReferences(raw) : raw;
    if (text !== '') yield { kind: 'text', text };
    from = stop;
  }
}

/** Without an end tag the rest of the document is raw, so each name is searched in vain at most once. */
const rawEnd = (html: string, from: number, name: string): number => {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
};

/** Reads what begins with `<`. */
class TagReader {
  readonly #html: string;
  /** The place after what was read last. */
  end = 0;

  constructor(html: string) {
    this.#html = html;
  }

  /** Undefined for what is dropped. */
  read(at: number): HtmlToken | undefined {
    const html = this.#html;
    const next = html.charAt(at + 1);
    if (next === '!' || next === '?') return this.#skip(at);
    const isClose = next === '/';
    const start = at + (isClose ? 2 : 1);
    const name = this.#match(NAME, start)?.toLowerCase();
    if (name === undefined) {
      // `</` and anything else is a comment; a lone `<` is text.
      if (isClose) return this.#skip(at);
      this.end = at + 1;
      return { kind: 'text', text: '<' };
    }
    const attributes = this.#attributes(start + name.length);
    if (attributes === undefined) return undefined;
    return isClose ? { kind: 'close', name } : { kind: 'open', name, attributes };
  }

  /** Comments end with `-->`, or also with `--!>`; all else that is no tag with `>`. */
  #skip(at: number): undefined {
    const html = this.#html;
    if (html.startsWith('<!-->', at) || html.startsWith('<!--->', at)) {
      this.end = html.indexOf('>', at) + 1;
      return;
    }
    const isComment = html.startsWith('<!--', at);
    const isData = html.startsWith('<![CDATA[', at);
    const [mark, from] = isComment ? ['-->', at + 4] : isData ? [']]>', at + 9] : ['>', at + 2];
    const stop = html.indexOf(mark, from);
    this.end = stop < 0 ? html.length : stop + mark.length;
  }

  /** Undefined where the document ends within the tag. */
  #attributes(from: number): ReadonlyMap<string, string> | undefined {
    const html = this.#html;
    const attributes = new Map<string, string>();
    let at = from;
    for (;;) {
      at += this.#match(BETWEEN, at)?.length ?? 0;
      if (at >= html.length) break;
      if (html.charAt(at) === '>') {
        this.end = at + 1;
        return attributes;
      }
      const name = this.#match(ATTRIBUTE, at) ?? '';
      at += name.length;
      const equals = this.#match(EQUALS, at);
      const value = equals === undefined ? undefined : this.#value(at + equals.length);
      at = value?.end ?? at;
      const known = name.toLowerCase();
      if (attributes.size < MOST_ATTRIBUTES && !attributes.has(known))
        attributes.set(known, decodeReferences(value?.text ?? ''));
    }
    this.end = html.length;
    return undefined;
  }

  #value(at: number): { readonly text: string; readonly end: number } {
    const html = this.#html;
    const quote = html.charAt(at);
    if (quote !== '"' && quote !== "'") {
      const text = this.#match(UNQUOTED, at) ?? '';
      return { text, end: at + text.length };
    }
    const stop = html.indexOf(quote, at + 1);
    const end = stop < 0 ? html.length : stop;
    return { text: html.slice(at + 1, end), end: end + 1 };
  }

  #match(pattern: RegExp, at: number): string | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.#html)?.[0];
  }
}
