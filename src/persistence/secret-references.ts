import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import { encodings } from '../contracts/secrets/known-forms.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';

/**
 * A record with references in place of secrets: `{{secret:NAME:ENCODING}}`, and `{{secret:NAME:field-ENCODING}}` for a secret field;
 * original text of that form is escaped as `{{secret::}}` and its rest.
 */
interface Sealed {
  readonly kind: 'sealed';
  /** Sealed fields that are referred to for the first time. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly record: Json;
}

const OPENING = '{{secret:';
const ESCAPED = '{{secret::}}';
const REFERENCE = /\{\{secret:([^:{}]*):([a-z0-9-]*)\}\}/g;
const NUMBER = /^\{\{secret:([^:{}]*):field-number\}\}$/;
const OF_FIELD = 'field-';

/** The secrets known where a record is opened. */
export interface KnownSecrets {
  readonly secrets: Secrets;
  /** Values of fields, by name. */
  readonly fields: Secrets;
}

/** Names of secrets that records refer to and that are unknown here. */
export interface MissingSecrets {
  readonly secrets: Set<string>;
  readonly fields: Set<string>;
}

/**
 * Replaces the secrets in a record by references, which the process that resumes the run resolves. A record without secrets is returned
 * unchanged. `take` returns the sealed field to store with it.
 *
 * I1 {@link restoreSecrets} restores the input of {@link replaceSecrets}, given the same secrets, whatever its texts contain: texts
 * cannot forge references.
 */
export const replaceSecrets = (
  record: Json,
  redactor: Redactor,
  take: (name: string) => string | undefined = () => undefined,
): Json => {
  // Events are redacted when they are published.
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

/** Restores a record; names of unknown secrets are added to `missing`, and `[redacted NAME]` stands for them. */
export const restoreSecrets = (record: Json, known: KnownSecrets, missing: MissingSecrets): Json =>
  isSealed(record) ? withSecrets(record.record, known, missing) : record;

const isSealed = (record: Json): record is Json & Sealed =>
  isJsonObject(record) && record['kind'] === 'sealed' && 'record' in record;

/** `field` is the name of the field that contains the value. */
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
    written += `${escapeMarks(text.slice(from, own.start))}${reference}`;
    from = own.end;
  }
  return written + escapeMarks(text.slice(from));
};

const escapeMarks = (text: string): string => text.replaceAll(OPENING, ESCAPED);

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

/** The number that a text refers to; undefined if it is no reference, or unknown. */
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
