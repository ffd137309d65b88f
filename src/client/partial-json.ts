import type { Json } from '../base/json/json.ts';

/**
 * Parses incomplete JSON: objects, arrays and texts so far; numbers and words that may continue are omitted. Undefined for a text that does
 * not start as an object or array; invalid JSON is cut off where it breaks.
 *
 * A Markdown fence before it is skipped.
 *
 * @example
 * partialJson('{"title": "Tides", "points": ["The moon pu') // => { title: 'Tides', points: ['The moon pu'] }
 */
export const partialJson = (text: string): Json | undefined => {
  const begin = /^\s*(?:```\w*\s*)?(?=[[{])/.exec(text)?.[0].length;
  return begin === undefined ? undefined : new PartialReader(text, begin).value();
};

/** Limits the depth, as a hostile text would overflow the stack. */
const MAX_DEPTH = 100;

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The characters of a word: up to the next delimiter. */
const WORD = /[^\s,\]}]*/y;
const SPACE = /\s*/y;

class PartialReader {
  readonly #text: string;
  #at: number;
  /** True at the end of the text or at invalid JSON: nothing more is read. */
  #isOver = false;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  value(depth = 0): Json | undefined {
    switch (this.#peek()) {
      case '{':
        return depth < MAX_DEPTH ? this.#object(depth + 1) : this.#give();
      case '[':
        return depth < MAX_DEPTH ? this.#array(depth + 1) : this.#give();
      case '"':
        return this.#string();
      default:
        return this.#word();
    }
  }

  #object(depth: number): Json {
    const object: Record<string, Json> = {};
    this.#at += 1;
    while (!this.#ends('}')) {
      if (this.#peek() !== '"') break;
      const key = this.#string();
      if (this.#isOver || this.#peek() !== ':') break;
      this.#at += 1;
      const value = this.value(depth);
      if (value !== undefined && !UNSAFE_KEYS.has(key)) object[key] = value;
      if (this.#isOver || !this.#goesOn('}')) break;
    }
    return object;
  }

  #array(depth: number): Json {
    const array: Json[] = [];
    this.#at += 1;
    while (!this.#ends(']')) {
      const value = this.value(depth);
      if (value !== undefined) array.push(value);
      if (this.#isOver || !this.#goesOn(']')) break;
    }
    return array;
  }

  #string(): string {
    const begin = this.#at;
    let end = begin + 1;
    while (end < this.#text.length && this.#text[end] !== '"') end += this.#text[end] === '\\' ? 2 : 1;
    const isWhole = this.#text[end] === '"';
    this.#at = end + 1;
    if (!isWhole) this.#isOver = true;
    const raw = this.#text.slice(begin + 1, end);
    return unescape(isWhole ? raw : raw.replace(/(?<!\\)((?:\\\\)*)\\(?:u[\da-fA-F]{0,3})?$/, '$1'));
  }

  /** A number, true, false or null, if something follows it. */
  #word(): Json | undefined {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.#text)?.[0] ?? '';
    this.#at += word.length;
    if (word === '' || this.#at >= this.#text.length) return this.#give();
    try {
      return JSON.parse(word) as Json;
    } catch {
      return this.#give();
    }
  }

  #give(): undefined {
    this.#isOver = true;
    return undefined;
  }

  #peek(): string {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
    return this.#text[this.#at] ?? '';
  }

  /** Checks whether the object or array is complete, or nothing more can be read of it. */
  #ends(closing: string): boolean {
    const next = this.#peek();
    if (next === '') this.#isOver = true;
    if (next === closing) this.#at += 1;
    return next === '' || next === closing;
  }

  /** Skips the comma; checks whether another item may follow. */
  #goesOn(closing: string): boolean {
    const next = this.#peek();
    if (next === ',') {
      this.#at += 1;
      return true;
    }
    if (next !== closing) this.#isOver = true;
    return next === closing;
  }
}

const unescape = (raw: string): string => {
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
};
