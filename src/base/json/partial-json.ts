import type { Json } from './json.ts';
import { MAX_DEPTH, UNSAFE_KEYS } from './json.ts';
import { tryRead } from '../try-read.ts';

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
  const json = jsonInPieces();
  json.append(text);
  return typeof json.value === 'object' ? json.value : undefined;
};

/** Limits what is read again with the next piece: a fence, a number, an escape. */
const MAX_REST = 1_000;

/** Blanks and a fence, or the beginning of one. */
const LEAD = /^\s*(?:```\w*\s*|`+$)?/;
/** A sign, or a word, after blanks. */
const TOKEN = /\s*(["{[\]},:]|[^\s,\]}]+)?/y;
/** The signs that may come next. */
const ADMITTED = { value: '"{[]', key: '"}', colon: ':', comma: ',]}' } as const;
/** The next part of a string: plain text, its end, an escape, one that is not complete yet, one that does not exist. */
const STRING = /[^"\\]+|"|(\\(?:u[\da-fA-F]{4}|["\\/bfnrt]))|(\\(?:u[\da-fA-F]{0,3})?$)|\\/y;

/** An object or array that is not closed yet; an object's open item is at its key. */
interface OpenContainer {
  readonly value: Json[] | Record<string, Json>;
  key: string;
}

/** JSON that arrives piece by piece. */
export interface JsonInPieces {
  /** Reads the next piece; true if the value has changed. */
  append(piece: string): boolean;
  /** The value so far; undefined before its beginning. */
  readonly value: Json | undefined;
  /** True once the value is closed: nothing more is read. */
  readonly isWhole: boolean;
}

/**
 * Reads JSON that arrives piece by piece; each character is read once.
 *
 * A value that was read never changes: its closed parts are the same objects in the next one, its open ones are copied.
 *
 * @example
 * const json = jsonInPieces();
 * json.append('{"points": ["The mo');
 * json.append('on", "The s');
 * json.value // => { points: ['The moon', 'The s'] }
 */
export const jsonInPieces = (): JsonInPieces => {
  let expects: 'lead' | 'value' | 'key' | 'rest of key' | 'colon' | 'rest of value' | 'comma' | 'end' =
    'lead';
  const open: OpenContainer[] = [];
  /** The value, once it is whole. */
  let root: Json | undefined;
  /** The end of the last piece, which cannot be read without the next. */
  let rest = '';
  /** The open string so far. */
  let string = '';
  let hasChanged = false;

  /** Keeps the end of the text until more of it has come. */
  const wait = (text: string, from: number): number => {
    if (text.length - from > MAX_REST) expects = 'end';
    else rest = text.slice(from);
    return text.length;
  };

  /** Adds a whole value to its container. */
  const add = (value: Json): void => {
    hasChanged = true;
    expects = 'comma';
    const container = open.at(-1);
    if (container === undefined) {
      root = value;
      expects = 'end';
    } else put(container, value);
  };

  const openContainer = (value: OpenContainer['value']): void => {
    if (open.length === MAX_DEPTH) expects = 'end';
    else {
      hasChanged = true;
      expects = Array.isArray(value) ? 'value' : 'key';
      open.push({ value, key: '' });
    }
  };

  const closeBy = (sign: string): void => {
    const container = open.at(-1);
    if (container === undefined || (sign === ']') !== Array.isArray(container.value)) expects = 'end';
    else {
      open.pop();
      add(container.value);
    }
  };

  /** A number, true, false or null, if something follows it. */
  const readWord = (word: string): void => {
    const value = tryRead((): unknown => JSON.parse(word));
    if (value === undefined) expects = 'end';
    else add(value as Json);
  };

  const readString = (text: string, at: number): number => {
    STRING.lastIndex = at;
    const [found = '', escape, openEscape] = STRING.exec(text) ?? [];
    if (openEscape !== undefined) return wait(text, at);
    const container = open.at(-1);
    if (found === '"' && expects === 'rest of value') add(string);
    else if (found === '"' && container !== undefined) {
      container.key = string;
      expects = 'colon';
    } else {
      // An escape that does not exist stays as it is.
      string += escape === undefined ? found : String(JSON.parse(`"${escape}"`));
      hasChanged ||= expects === 'rest of value';
    }
    return at + found.length;
  };

  /** A sign where it is admitted. */
  const readSign = (sign: string): void => {
    if (sign === '"') {
      string = '';
      hasChanged ||= expects === 'value';
      expects = expects === 'key' ? 'rest of key' : 'rest of value';
    } else if (sign === '{') openContainer({});
    else if (sign === '[') openContainer([]);
    else if (sign === ':') expects = 'value';
    else if (sign === ',') expects = Array.isArray(open.at(-1)?.value) ? 'value' : 'key';
    else closeBy(sign);
  };

  /** Reads one token, and returns where the next begins. */
  const read = (text: string, at: number): number => {
    if (expects === 'lead') {
      const end = LEAD.exec(text)?.[0].length ?? 0;
      if (end === text.length) return wait(text, 0);
      expects = 'value';
      return end;
    }
    if (expects === 'rest of key' || expects === 'rest of value') return readString(text, at);
    TOKEN.lastIndex = at;
    const [found, token] = TOKEN.exec(text) ?? [''];
    const end = at + found.length;
    if (token === undefined) return end;
    if (expects !== 'end' && ADMITTED[expects].includes(token)) readSign(token);
    else if (expects !== 'value') expects = 'end';
    else if (end === text.length) return wait(text, end - token.length);
    else readWord(token);
    return end;
  };

  return {
    append: (piece) => {
      hasChanged = false;
      const text = rest + piece;
      rest = '';
      let at = 0;
      while (at < text.length && expects !== 'end') at = read(text, at);
      return hasChanged;
    },
    get value() {
      const start = expects === 'rest of value' ? string : root;
      return open.reduceRight<Json | undefined>((item, container) => withItem(container, item), start);
    },
    get isWhole() {
      return root !== undefined;
    },
  };
};

/** Puts an item where a container is open. */
const put = ({ value, key }: OpenContainer, item: Json): void => {
  if (Array.isArray(value)) value.push(item);
  else if (!UNSAFE_KEYS.has(key)) value[key] = item;
};

/** A copy of an open container with its open item, if that has begun. */
const withItem = ({ value, key }: OpenContainer, item: Json | undefined): Json => {
  const copy = Array.isArray(value) ? [...value] : { ...value };
  if (item !== undefined) put({ value: copy, key }, item);
  return copy;
};
