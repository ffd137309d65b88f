import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Secrets } from '../../policy/redaction.ts';
import { redactorOf } from '../../policy/redaction.ts';

/** The limits of what is written. */
export interface TidyOptions {
  /** Default: those of the environment. */
  readonly secrets: Secrets | undefined;
  /** Done to every text after secrets were taken out. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Characters of one text, at least 1. */
  readonly maxText: number;
}

/** The writable form of a value, and the number of its texts that were cut. */
export interface Tidied<Value> {
  readonly value: Value;
  readonly cut: number;
}

/** Keys whose values are secrets, of whatever type. */
const SECRET_KEY =
  /^(?:proxy[-_]?)?authorization$|^(?:set[-_]?)?cookie$|^(?:api|private|access|secret)[-_]?key$|pass(?:word|wd|phrase)$|secret$|^(?:(?:access|refresh|id|auth|bearer|api)[-_]?)?token$/i;

/** The written form of each key: events repeat the same ones. */
interface Key {
  readonly text: string;
  readonly isSecret: boolean;
}

/** The number of keys that are cached. */
const KEYS = 1_000;

const REDACTED = '[redacted]';

/**
 * Makes what is written of a value: plain JSON, whatever it was, without secrets, none of its texts too long.
 *
 * Secrets are taken out of texts and of keys; of what stands under a key such as `password` or `apiKey`, nothing is left.
 */
export const tidier = ({
  secrets,
  redact = (text) => text,
  maxText,
}: TidyOptions): ((value: unknown) => Tidied<Json>) => {
  const found = redactorOf(secrets);
  const keys = new Map<string, Key>();
  return (value) => {
    let cut = 0;
    const text = (given: string): string => {
      const clean = redact(found.text(given));
      if (clean.length <= maxText) return clean;
      cut += 1;
      const head = clean.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '');
      return `${head}… [cut: ${clean.length} characters]`;
    };
    const keyOf = (given: string): Key => {
      const known = keys.get(given);
      if (known !== undefined) return known;
      const key = { text: text(given), isSecret: SECRET_KEY.test(given) };
      if (keys.size < KEYS) keys.set(given, key);
      return key;
    };
    const walk = (item: Json): Json => {
      if (typeof item === 'string') return text(item);
      if (Array.isArray(item)) return item.map((each: Json) => walk(each));
      if (!isJsonObject(item)) return item;
      return Object.fromEntries(
        Object.entries(item).map(([given, each]): [string, Json] => {
          const key = keyOf(given);
          return [key.text, key.isSecret && isHidden(each) ? REDACTED : walk(each ?? null)];
        }),
      );
    };
    return { value: walk(toJson(value)), cut };
  };
};

/** Checks for a value that can hold a secret: an empty one cannot. */
const isHidden = (value: Json | undefined): boolean =>
  value !== null && value !== '' && typeof value !== 'boolean';
