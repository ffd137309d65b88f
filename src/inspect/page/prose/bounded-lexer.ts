import type { MarkedToken } from 'marked';
import { Lexer, Tokenizer } from 'marked';

/** Nesting beyond this depth is shown as text. */
export const DEEPEST = 20;

/** Reads a Markdown text as tokens, at most {@link DEEPEST} within each other, whatever the text. */
export const tokensOf = (text: string): readonly MarkedToken[] =>
  // Only extensions make tokens of other kinds, and there are none.
  new Lexer({ gfm: true, tokenizer: new BoundedTokenizer() }).lex(text) as MarkedToken[];

/** Lexes what nests only up to a depth, as a text of a thousand `>` would nest as deep, and cost its square. */
class BoundedTokenizer extends Tokenizer {
  #depth = 0;

  override blockquote(...given: Parameters<Tokenizer['blockquote']>): ReturnType<Tokenizer['blockquote']> {
    return this.#within(() => super.blockquote(...given));
  }

  override list(...given: Parameters<Tokenizer['list']>): ReturnType<Tokenizer['list']> {
    return this.#within(() => super.list(...given));
  }

  override link(...given: Parameters<Tokenizer['link']>): ReturnType<Tokenizer['link']> {
    return this.#within(() => super.link(...given));
  }

  override reflink(...given: Parameters<Tokenizer['reflink']>): ReturnType<Tokenizer['reflink']> {
    return this.#within(() => super.reflink(...given));
  }

  override emStrong(...given: Parameters<Tokenizer['emStrong']>): ReturnType<Tokenizer['emStrong']> {
    return this.#within(() => super.emStrong(...given));
  }

  override del(...given: Parameters<Tokenizer['del']>): ReturnType<Tokenizer['del']> {
    return this.#within(() => super.del(...given));
  }

  #within<Found>(lex: () => Found): Found | undefined {
    if (this.#depth >= DEEPEST) return undefined;
    this.#depth += 1;
    try {
      return lex();
    } finally {
      this.#depth -= 1;
    }
  }
}
