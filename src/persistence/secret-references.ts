import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import { encodings } from '../contracts/secrets/known-forms.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';

/**
 * A record with references in place of secrets: `{{secret:NAME:ENCODING}}`, and `{{secret:NAME:field-ENCODING}}` for the value of a field;
 * what looked like one is `{{secret::}}` and its rest.
 */
interface Sealed {
  readonly kind: 'sealed';
  /** The values of fields that are referred to for the first time, sealed by a key. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly record: Json;
}

const OPENING = '{{secret:';
const ESCAPED = '{{secret::}}';
const REFERENCE = /\{\{secret:([^:{}]*):([a-z0-9-]*)\}\}/g;
const NUMBER = /^\{\{secret:([^:{}]*):field-number\}\}$/;
const OF_FIELD = 'field-';

/** What is known where a record is opened. */
export interface KnownSecrets {
  readonly secrets: Secrets;
  /** The values of fields, by name. */
  readonly fields: Secrets;
}

/** The names of what a record refers to and nobody knows here. */
export interface MissingSecrets {
  readonly secrets: Set<string>;
  readonly fields: Set<string>;
}

/**
 * A record as it is stored: where it holds secrets whose values are known, their names stand in their place, to be looked up by
 * the process that resumes it. A record without any is stored as it is. `take` gives the value of a field as it is to be written with it.
 *
 * I1  What {@link referenced} made of a record, {@link dereferenced} makes the record again, with the same secrets: whatever its texts
 *     say, and nobody can write a reference into one.
 */
export const referenced = (
  record: Json,
  redactor: Redactor,
  take: (name: string) => string | undefined = () => undefined,
): Json => {
  // An event was redacted when it was published.
  if (isJsonObject(record) && record['kind'] === 'event') return record;
  if (!redactor.mayBeIn(JSON.stringify(record))) return record;
  const fields: Record<string, string> = {};
  const use = (name: string): void => {
    const sealed = take(name);
    if (sealed !== undefined) fields[name] = sealed;
  };
  const changed = withReferences(record, undefined, redactor, use);
  return { kind: 'sealed', ...(Object.keys(fields).length === 0 ? {} : { fields }), record: changed };
};

/** A record as it was; the names of secrets that are not known here go into `missing`, and `[redacted NAME]` stands for them. */
export const dereferenced = (record: Json, known: KnownSecrets, missing: MissingSecrets): Json =>
  isSealed(record) ? withSecrets(record.record, known, missing) : record;

const isSealed = (record: Json): record is Json & Sealed =>
  isJsonObject(record) && record['kind'] === 'sealed' && 'record' in record;

/** `field` is the name of the field that a value stands at. */
const withReferences = (
  value: Json,
  field: string | undefined,
  redactor: Redactor,
  use: (name: string) => void,
): Json => {
  const each = (item: Json, name: string | undefined): Json => withReferences(item, name, redactor, use);
  if (typeof value === 'string' || typeof value === 'number') {
    const hidden = field === undefined ? undefined : redactor.hiddenAt(field, value);
    if (hidden !== undefined && (typeof value === 'number' || value === hidden.value)) {
      use(hidden.name);
      return referenceTo(hidden.name, typeof value === 'number' ? `${OF_FIELD}number` : OF_FIELD);
    }
    return typeof value === 'string' ? textWithReferences(value, redactor, use) : value;
  }
  if (Array.isArray(value)) return value.map((item: Json) => each(item, field));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [[textWithReferences(name, redactor, use), each(item, name)]],
    ),
  );
};

const referenceTo = (name: string, encoding: string): string =>
  `${OPENING}${encodeURIComponent(name)}:${encoding}}}`;

const textWithReferences = (text: string, redactor: Redactor, use: (name: string) => void): string => {
  let written = '';
  let from = 0;
  for (const { name, encoding, own, isField } of redactor.known(text)) {
    if (encoding === undefined) continue;
    if (isField) use(name);
    const reference = referenceTo(name, isField ? OF_FIELD + encoding : encoding);
    written += `${escaped(text.slice(from, own.start))}${reference}`;
    from = own.end;
  }
  return written + escaped(text.slice(from));
};

const escaped = (text: string): string => text.replaceAll(OPENING, ESCAPED);

const withSecrets = (value: Json, known: KnownSecrets, missing: MissingSecrets): Json => {
  if (typeof value === 'string')
    return numberIn(value, known.fields) ?? textWithSecrets(value, known, missing);
  if (Array.isArray(value)) return value.map((item: Json) => withSecrets(item, known, missing));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) =>
      item === undefined ? [] : [[textWithSecrets(name, known, missing), withSecrets(item, known, missing)]],
    ),
  );
};

/** The number that a text refers to; undefined where it is none, or not known. */
const numberIn = (text: string, fields: Secrets): number | undefined => {
  const [, written] = NUMBER.exec(text) ?? [];
  const value = written === undefined ? undefined : valueOf(fields, decodeURIComponent(written));
  return value === undefined ? undefined : Number(value);
};

const valueOf = (secrets: Secrets, name: string): string | undefined =>
  Object.hasOwn(secrets, name) ? secrets[name] : undefined;

const textWithSecrets = (text: string, known: KnownSecrets, missing: MissingSecrets): string =>
  text.replaceAll(REFERENCE, (_, written: string, how: string) => {
    if (written === '') return OPENING;
    const name = decodeURIComponent(written);
    const isField = how.startsWith(OF_FIELD);
    const encoding = isField ? how.slice(OF_FIELD.length) : how;
    const value = valueOf(isField ? known.fields : known.secrets, name);
    const encode = encodings.find((each) => each.name === encoding)?.encode;
    if (value !== undefined && encode !== undefined) return encode(value);
    (isField ? missing.fields : missing.secrets).add(name);
    return `[redacted ${name}]`;
  });
