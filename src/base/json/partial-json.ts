import type { Json } from './json.ts';
import { UNSAFE_KEYS } from './json.ts';

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

/** Limits the depth: each open container is copied when the value is read. */
const MAX_DEPTH = 100;

/** Limits what is read again with the next piece: a fence, a number, an escape. */
const MAX_REST = 1_000;

const LEAD = /^\s*(?:```\w*\s*)?/;
/** A text that may be the beginning of a lead. */
const OPEN_LEAD = /^\s*(?:`{0,3}|```\w*\s*)$/;
/** A sign, or a word, after blanks. */
const TOKEN = /\s*(["{[\]},:]|[^\s,\]}]+)?/y;
/** The signs that may come next. */
const ADMITTED = { value: '"{[]', key: '"}', colon: ':', comma: ',]}' } as const;
const STRING_SIGN = /["\\]/g;
/** An escape that is not complete yet. */
const OPEN_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const ESCAPE = /^\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/;
const ESCAPE_LENGTH = 6;

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
    } else if (Array.isArray(container.value)) container.value.push(value);
    else if (!UNSAFE_KEYS.has(container.key)) container.value[container.key] = value;
  };

  const openContainer = (value: OpenContainer['value']): void => {
    hasChanged = true;
    expects = Array.isArray(value) ? 'value' : 'key';
    if (open.push({ value, key: '' }) > MAX_DEPTH) {
      open.pop();
      expects = 'end';
    }
  };

  const closeBy = (sign: string): void => {
    const container = open.pop();
    const isFit = container !== undefined && (sign === ']') === Array.isArray(container.value);
    if (isFit) add(container.value);
    else {
      if (container !== undefined) open.push(container);
      expects = 'end';
    }
  };

  /** A number, true, false or null, if something follows it. */
  const readWord = (word: string): void => {
    try {
      add(JSON.parse(word) as Json);
    } catch {
      expects = 'end';
    }
  };

  const readString = (text: string, at: number): number => {
    STRING_SIGN.lastIndex = at;
    const sign = STRING_SIGN.exec(text);
    const end = sign?.index ?? text.length;
    const addToString = (more: string): void => {
      string += more;
      if (more !== '' && expects === 'rest of value') hasChanged = true;
    };
    addToString(text.slice(at, end));
    if (sign === null) return end;
    if (sign[0] === '"') {
      const container = open.at(-1);
      if (expects === 'rest of value') add(string);
      else if (container !== undefined) {
        container.key = string;
        expects = 'colon';
      }
      return end + 1;
    }
    // Few characters: the text may be long.
    const found = text.slice(end, end + ESCAPE_LENGTH);
    if (OPEN_ESCAPE.test(found)) return wait(text, end);
    const escape = ESCAPE.exec(found)?.[0];
    // An escape that does not exist stays as it is.
    addToString(escape === undefined ? '\\' : String(JSON.parse(`"${escape}"`)));
    return end + (escape?.length ?? 1);
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
      if (OPEN_LEAD.test(text)) return wait(text, 0);
      expects = 'value';
      return LEAD.exec(text)?.[0].length ?? 0;
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

/** A copy of an open container with its open item, if that has begun. */
const withItem = ({ value, key }: OpenContainer, item: Json | undefined): Json => {
  const more = item === undefined ? [] : [item];
  if (Array.isArray(value)) return [...value, ...more];
  return { ...value, ...(item === undefined || UNSAFE_KEYS.has(key) ? {} : { [key]: item }) };
};
