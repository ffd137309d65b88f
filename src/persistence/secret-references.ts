import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { encodings } from '../contracts/secrets/known-forms.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';

/** A record with references in place of secrets: `{{secret:NAME:ENCODING}}`; what looked like one is `{{secret::}}` and its rest. */
interface Sealed {
  readonly kind: 'sealed';
  readonly record: Json;
}

const OPENING = '{{secret:';
const ESCAPED = '{{secret::}}';
const REFERENCE = /\{\{secret:([^:{}]*):([a-z0-9-]*)\}\}/g;

/**
 * A record as it is stored: where it holds secrets whose values are known, their names stand in their place, to be looked up by
 * whoever goes on with it. A record without any is stored as it is.
 *
 * I1  What {@link referenced} made of a record, {@link dereferenced} makes the record again, with the same secrets: whatever its texts
 *     say, and nobody can write a reference into one.
 */
export const referenced = (record: Json, redactor: Redactor): Json => {
  // What an event tells was redacted when it was told.
  if (isJsonObject(record) && record['kind'] === 'event') return record;
  if (redactor.known(JSON.stringify(record)).length === 0) return record;
  return { kind: 'sealed', record: mapped(record, (text) => withReferences(text, redactor)) };
};

/** A record as it was; the names of secrets that are not known here go into `missing`, and `[redacted NAME]` stands for them. */
export const dereferenced = (record: Json, secrets: Secrets, missing: Set<string>): Json =>
  isSealed(record) ? mapped(record.record, (text) => withSecrets(text, secrets, missing)) : record;

const isSealed = (record: Json): record is Json & Sealed =>
  isJsonObject(record) && record['kind'] === 'sealed' && 'record' in record;

const withReferences = (text: string, redactor: Redactor): string => {
  let written = '';
  let from = 0;
  for (const { name, encoding, own } of redactor.known(text)) {
    if (encoding === undefined) continue;
    const reference = `${OPENING}${encodeURIComponent(name)}:${encoding}}}`;
    written += `${escaped(text.slice(from, own.start))}${reference}`;
    from = own.end;
  }
  return written + escaped(text.slice(from));
};

const escaped = (text: string): string => text.replaceAll(OPENING, ESCAPED);

const withSecrets = (text: string, secrets: Secrets, missing: Set<string>): string =>
  text.replaceAll(REFERENCE, (_, written: string, encoding: string) => {
    if (written === '') return OPENING;
    const name = decodeURIComponent(written);
    const value = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    const encode = encodings.find((each) => each.name === encoding)?.encode;
    if (value !== undefined && encode !== undefined) return encode(value);
    missing.add(name);
    return `[redacted ${name}]`;
  });

const mapped = (value: Json, change: (text: string) => string): Json => {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item: Json) => mapped(item, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [[change(name), mapped(item, change)]],
    ),
  );
};
