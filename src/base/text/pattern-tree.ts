/** A part of a regular expression. */
export type PatternNode =
  /** One character of a set, in source form: `a`, `[a-z]`, `\d`, `.` */
  | { readonly type: 'set'; readonly source: string }
  | { readonly type: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly type: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      /** `Infinity` for no limit. */
      readonly most: number;
      readonly isLazy: boolean;
    }
  | { readonly type: 'start' }
  | { readonly type: 'end' }
  | { readonly type: 'edge'; readonly isEdge: boolean }
  | {
      readonly type: 'look';
      readonly isAhead: boolean;
      readonly isWanted: boolean;
      readonly part: PatternNode;
    };

/** Thrown for syntax that cannot be matched in linear time, or is not known here: back-references among others. */
class Unsupported extends Error {}

/**
 * Parses a regular expression that JavaScript has found to be well-formed; undefined where it refers back to what it matched, or has
 * modifiers, or too many groups within each other.
 */
export const parsePattern = (source: string, isUnicode: boolean): PatternNode | undefined => {
  const reader = new PatternReader(source, isUnicode);
  try {
    return reader.choice();
  } catch (thrown) {
    if (thrown instanceof Unsupported) return undefined;
    throw thrown;
  }
};

/** Groups within groups: reading them must not use up the stack. */
const DEEPEST = 200;

const COUNT = /\{(\d+)(?:(,)(\d*))?\}/y;
const GROUP = /\((?:\?(?:([:=!]|<[=!])|<[^>]*>))?/y;
const CLASS = /\[(?:[^\]\\]|\\[^])*\]/y;
const ESCAPE = /\\(?:u\{[\da-fA-F]+\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|[^])/y;
const PAIR = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}/y;

/** Reads a pattern from left to right. */
class PatternReader {
  readonly #source: string;
  readonly #isUnicode: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, isUnicode: boolean) {
    this.#source = source;
    this.#isUnicode = isUnicode;
  }

  choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : { type: 'choice', parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#next))
      parts.push(this.#repeated(this.#term()));
    return { type: 'sequence', parts };
  }

  #repeated(part: PatternNode): PatternNode {
    const counts = this.#counts();
    if (counts === undefined) return part;
    return { type: 'repeat', part, ...counts, isLazy: this.#take('?') };
  }

  #counts(): { readonly least: number; readonly most: number } | undefined {
    if (this.#take('*')) return { least: 0, most: Infinity };
    if (this.#take('+')) return { least: 1, most: Infinity };
    if (this.#take('?')) return { least: 0, most: 1 };
    const [text, least, comma, most] = this.#match(COUNT) ?? [];
    if (text === undefined) return undefined;
    const first = Number(least);
    if (comma === undefined) return { least: first, most: first };
    return { least: first, most: most === undefined || most === '' ? Infinity : Number(most) };
  }

  #term(): PatternNode {
    if (this.#take('^')) return { type: 'start' };
    if (this.#take('$')) return { type: 'end' };
    if (this.#next === '(') return this.#group();
    if (this.#next === '[') return this.#set(CLASS);
    if (this.#next === '\\') return this.#escape();
    const text = this.#isUnicode ? String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0) : this.#next;
    this.#at += text.length;
    return { type: 'set', source: text };
  }

  #group(): PatternNode {
    const [text, kind] = this.#match(GROUP) ?? [];
    // `(?` and no group that is known: modifiers.
    if (text === undefined || (text === '(' && this.#next === '?')) throw new Unsupported();
    this.#depth += 1;
    if (this.#depth > DEEPEST) throw new Unsupported();
    const part = this.choice();
    this.#depth -= 1;
    if (!this.#take(')')) throw new Unsupported();
    if (kind === undefined || kind === ':') return part;
    return { type: 'look', isAhead: !kind.startsWith('<'), isWanted: kind.endsWith('='), part };
  }

  #escape(): PatternNode {
    const kind = this.#source.charAt(this.#at + 1);
    if (kind === 'b' || kind === 'B') {
      this.#at += 2;
      return { type: 'edge', isEdge: kind === 'b' };
    }
    const isOctal = kind === '0' && /\d/.test(this.#source.charAt(this.#at + 2));
    if (/[1-9k]/.test(kind) || isOctal) throw new Unsupported();
    if (this.#isUnicode) return this.#set(PAIR, ESCAPE);
    // Without `u`, the first letter of an incomplete escape stands for itself.
    const { source } = this.#set(ESCAPE);
    if (source === '\\c') throw new Unsupported();
    if (!/^\\(?:u\{|[pP]\{)/.test(source)) return { type: 'set', source };
    this.#at -= source.length - 2;
    return { type: 'set', source: source.slice(0, 2) };
  }

  #set(...expressions: readonly RegExp[]): Extract<PatternNode, { type: 'set' }> {
    for (const expression of expressions) {
      const source = this.#match(expression)?.[0];
      if (source === undefined) continue;
      const last = source.charCodeAt(source.length - 1);
      const isHalf = this.#isUnicode && source.length === 2 && last >= 0xd800 && last <= 0xdbff;
      if (!isHalf) return { type: 'set', source };
      this.#at += 1;
      return { type: 'set', source: source + this.#source.charAt(this.#at - 1) };
    }
    throw new Unsupported();
  }

  get #next(): string {
    return this.#source.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (this.#next !== text) return false;
    this.#at += 1;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const found = expression.exec(this.#source);
    if (found === null) return undefined;
    this.#at += found[0].length;
    return found;
  }
}
