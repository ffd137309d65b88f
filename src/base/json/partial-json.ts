import type { Json } from './json.ts';

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
  const json = new PartialJson();
  json.append(text);
  return typeof json.value === 'object' ? json.value : undefined;
};

/** Limits the depth: each open container is copied when the value is read. */
const MAX_DEPTH = 100;

/** Limits what is read again with the next piece: a fence, a number, an escape. */
const MAX_REST = 1_000;

const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

const LEAD = /^\s*(?:```\w*\s*)?/;
/** A text that may be the beginning of a lead. */
const OPEN_LEAD = /^\s*(?:`{0,3}|```\w*\s*)$/;
const NO_SPACE = /\S/g;
const WORD_END = /[\s,\]}]/g;
const STRING_SIGN = /["\\]/g;
/** An escape that is not complete yet. */
const OPEN_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const ESCAPE = /\\(?:u([\da-fA-F]{4})|(["\\/bfnrt]))/y;
const ESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** An object or array that is not closed yet; an object's open item is at its key. */
type OpenContainer =
  | { readonly items: Json[] }
  | { readonly items: undefined; readonly fields: Record<string, Json>; key: string };

/**
 * JSON that arrives piece by piece; each character is read once.
 *
 * A value that was read never changes: its closed parts are the same objects in the next one, its open ones are copied.
 *
 * @example
 * const json = new PartialJson();
 * json.append('{"points": ["The mo');
 * json.append('on", "The s');
 * json.value // => { points: ['The moon', 'The s'] }
 */
export class PartialJson {
  #expects: 'lead' | 'value' | 'key' | 'colon' | 'string' | 'word' | 'comma' | 'end' = 'lead';
  readonly #open: OpenContainer[] = [];
  /** The value, once it is whole. */
  #root: Json | undefined;
  /** The end of the last piece, which cannot be read without the next. */
  #rest = '';
  /** The open string so far. */
  #string = '';
  #isKey = false;
  #hasChanged = false;

  /** Reads the next piece; true if the value has changed. */
  append(piece: string): boolean {
    this.#hasChanged = false;
    const text = this.#rest + piece;
    this.#rest = '';
    let at = 0;
    while (at < text.length && this.#expects !== 'end') at = this.#read(text, at);
    return this.#hasChanged;
  }

  /** The value so far; undefined before its beginning. */
  get value(): Json | undefined {
    let value = this.#expects === 'string' && !this.#isKey ? this.#string : this.#root;
    for (const container of this.#open.toReversed()) value = withItem(container, value);
    return value;
  }

  /** True once the value is closed: nothing more is read. */
  get isWhole(): boolean {
    return this.#root !== undefined;
  }

  /** Reads one token, and returns where the next begins. */
  #read(text: string, at: number): number {
    if (this.#expects === 'lead') return this.#readLead(text);
    if (this.#expects === 'string') return this.#readString(text, at);
    if (this.#expects === 'word') return this.#readWord(text, at);
    NO_SPACE.lastIndex = at;
    const sign = NO_SPACE.exec(text)?.[0];
    if (sign === undefined) return text.length;
    const after = NO_SPACE.lastIndex;
    switch (this.#expects) {
      case 'value':
        return this.#readValue(sign, after);
      case 'key':
        if (sign === '"') this.#startString(true);
        else this.#closeBy(sign);
        return after;
      case 'colon':
        this.#expects = sign === ':' ? 'value' : 'end';
        return after;
      default:
        if (sign === ',') this.#expects = this.#open.at(-1)?.items === undefined ? 'key' : 'value';
        else this.#closeBy(sign);
        return after;
    }
  }

  #readLead(text: string): number {
    if (OPEN_LEAD.test(text)) return this.#wait(text, 0);
    this.#expects = 'value';
    return LEAD.exec(text)?.[0].length ?? 0;
  }

  #readValue(sign: string, after: number): number {
    if (sign === '"') this.#startString(false);
    else if (sign === '{') this.#openContainer({ items: undefined, fields: {}, key: '' }, 'key');
    else if (sign === '[') this.#openContainer({ items: [] }, 'value');
    else if (sign === ']') this.#closeBy(sign);
    else {
      this.#expects = 'word';
      return after - 1;
    }
    return after;
  }

  #readString(text: string, at: number): number {
    STRING_SIGN.lastIndex = at;
    const sign = STRING_SIGN.exec(text);
    const end = sign?.index ?? text.length;
    if (end > at) this.#addToString(text.slice(at, end));
    if (sign === null) return end;
    if (sign[0] === '"') {
      this.#endString();
      return end + 1;
    }
    // Six characters at most: the text may be long.
    if (OPEN_ESCAPE.test(text.slice(end, end + ESCAPE_LENGTH))) return this.#wait(text, end);
    ESCAPE.lastIndex = end;
    const [escape = '\\', hex, letter = ''] = ESCAPE.exec(text) ?? [];
    if (hex !== undefined) this.#addToString(String.fromCharCode(Number.parseInt(hex, 16)));
    // An escape that does not exist stays as it is.
    else this.#addToString(ESCAPED[letter] ?? (letter || escape));
    return end + escape.length;
  }

  #startString(isKey: boolean): void {
    this.#string = '';
    this.#isKey = isKey;
    this.#expects = 'string';
    if (!isKey) this.#hasChanged = true;
  }

  #addToString(text: string): void {
    this.#string += text;
    if (!this.#isKey) this.#hasChanged = true;
  }

  #endString(): void {
    const container = this.#open.at(-1);
    if (!this.#isKey) this.#add(this.#string);
    else if (container !== undefined && container.items === undefined) {
      container.key = this.#string;
      this.#expects = 'colon';
    }
  }

  /** A number, true, false or null, if something follows it. */
  #readWord(text: string, at: number): number {
    WORD_END.lastIndex = at;
    const end = WORD_END.exec(text)?.index;
    if (end === undefined) return this.#wait(text, at);
    try {
      this.#add(JSON.parse(text.slice(at, end)) as Json);
    } catch {
      this.#expects = 'end';
    }
    return end;
  }

  #openContainer(container: OpenContainer, expects: 'key' | 'value'): void {
    if (this.#open.length < MAX_DEPTH) {
      this.#open.push(container);
      this.#expects = expects;
      this.#hasChanged = true;
    } else this.#expects = 'end';
  }

  #closeBy(sign: string): void {
    const container = this.#open.at(-1);
    if (container === undefined || sign !== (container.items === undefined ? '}' : ']')) {
      this.#expects = 'end';
      return;
    }
    this.#open.pop();
    this.#add(container.items ?? container.fields);
  }

  /** Adds a whole value to its container. */
  #add(value: Json): void {
    this.#hasChanged = true;
    const container = this.#open.at(-1);
    this.#expects = container === undefined ? 'end' : 'comma';
    if (container === undefined) this.#root = value;
    else if (container.items !== undefined) container.items.push(value);
    else if (!UNSAFE_KEYS.has(container.key)) container.fields[container.key] = value;
  }

  /** Keeps the end of the text until more of it has come. */
  #wait(text: string, from: number): number {
    if (text.length - from > MAX_REST) this.#expects = 'end';
    else this.#rest = text.slice(from);
    return text.length;
  }
}

const ESCAPE_LENGTH = 6;

/** A copy of an open container with its open item, if that has begun. */
const withItem = (container: OpenContainer, item: Json | undefined): Json => {
  if (container.items !== undefined)
    return item === undefined ? [...container.items] : [...container.items, item];
  const { fields, key } = container;
  return item === undefined || UNSAFE_KEYS.has(key) ? { ...fields } : { ...fields, [key]: item };
};
