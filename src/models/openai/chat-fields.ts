import { isJsonObject, type Json, type JsonObject, toJson } from '../../base/json/json.ts';

/** Fields of a message or a call that arrive in pieces and are sent back unchanged. */
export interface ChatFields {
  /** Adds the unknown fields of a piece. */
  take(piece: object): void;
  /** Returns all fields so far; undefined if there are none. */
  all(): JsonObject | undefined;
}

/**
 * Collects unknown fields: signatures, encrypted thoughts and whatever a provider adds next.
 *
 * Streamed text (`text`, `summary`, `content` …) is concatenated, lists are extended, objects merged, and any other
 * value replaced by the latest, as it is repeated in every piece.
 *
 * @example
 * const fields = chatFields(new Set(['role', 'content']));
 * fields.take({ role: 'assistant', reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm' }] });
 * fields.take({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: '.' }] });
 * fields.all() // => { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm.' }] }
 */
export const chatFields = (known: ReadonlySet<string>): ChatFields => {
  // A map, as a field may have the name of an object's own (`__proto__`).
  const fields = new Map<string, Json>();
  let own = new Own();
  return {
    take: (piece) => {
      for (const key of Object.keys(piece)) {
        if (known.has(key)) continue;
        const value = toJson(Reflect.get(piece, key));
        if (value === null || value === '') continue;
        fields.set(key, own.merged(key, fields.get(key), value));
      }
    },
    all: () => {
      // Values that were returned stay unchanged.
      own = new Own();
      return fields.size === 0 ? undefined : Object.fromEntries(fields);
    },
  };
};

/** Text under such a name is streamed; any other text is whole. */
const FLOWS = /(^|_)(text|summary|content|thinking|reasoning)$/;

/** Merges pieces into values, copying each once, when it is first extended. */
class Own {
  /** The copies, each by itself. */
  readonly #objects = new WeakMap<object, Record<string, Json | undefined>>();
  readonly #lists = new WeakMap<object, Json[]>();

  merged(key: string, before: Json | undefined, value: Json): Json {
    if (before === undefined) return value;
    if (typeof before === 'string' && typeof value === 'string')
      return FLOWS.test(key) ? before + value : value || before;
    if (Array.isArray(before) && Array.isArray(value)) return this.#appended(before, value);
    return isJsonObject(before) && isJsonObject(value) ? this.#joined(before, value) : value;
  }

  #joined(before: JsonObject, value: JsonObject): JsonObject {
    const found = this.#objects.get(before) ?? { ...before };
    this.#objects.set(found, found);
    for (const [key, each] of Object.entries(value))
      if (each !== undefined && each !== null) found[key] = this.merged(key, found[key], each);
    return found;
  }

  /** A piece of the last entry is joined to it; anything else is a new entry. */
  #appended(before: readonly Json[], items: readonly Json[]): readonly Json[] {
    const list = this.#lists.get(before) ?? [...before];
    this.#lists.set(list, list);
    for (const item of items) {
      const last = list.at(-1);
      if (isJsonObject(last) && isJsonObject(item) && isSameEntry(last, item))
        list[list.length - 1] = this.#joined(last, item);
      else list.push(item);
    }
    return list;
  }
}

const isSameEntry = (left: JsonObject, right: JsonObject): boolean =>
  left['type'] === right['type'] &&
  left['index'] === right['index'] &&
  (left['id'] === undefined || right['id'] === undefined || left['id'] === right['id']) &&
  Object.keys(right).some((key) => FLOWS.test(key) && typeof right[key] === 'string');
