import { TroupeError } from '../contracts/error.ts';
import type { Json } from '../contracts/json.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';
import type { SecretKey } from '../contracts/secrets/secret-key.ts';
import { dereferenced, referenced } from './secret-references.ts';

/** What data beside a journal is sealed with, and where it is kept: it opens nowhere else. */
export interface SealingPlace {
  readonly place: string;
  readonly redactor: Redactor;
  readonly key: SecretKey | undefined;
  /** Seals all of it by the key, where there is one: nobody knows yet what of it is secret. */
  readonly isUnknown?: boolean | undefined;
}

/**
 * Data as it is kept beside a journal: with references to the secrets that are known by a name, and all of it sealed by the key where there are
 * values of fields in it. What has no secret in it stays as it is.
 *
 * @throws {TroupeError} `secret.missing` for values of fields without a key.
 */
export const sealData = async (data: Json, sealing: SealingPlace): Promise<Json> => {
  const { place, redactor, key, isUnknown = false } = sealing;
  const text = JSON.stringify(data);
  const fields = redactor.fieldsIn(text);
  const names = Object.keys(fields);
  if (key !== undefined && (isUnknown || names.length > 0))
    return { kind: 'sealed', text: await key.seal(JSON.stringify({ data, fields }), place) };
  if (names.length > 0)
    throw new TroupeError(
      'secret.missing',
      `Cannot keep what has values of fields in it that schemas mark as secret, as there is no key to seal them by: ${names.join(', ')}. Give \`secretKey\`, or set TROUPE_SECRET_KEY`,
      { details: { names } },
    );
  const found = referenced(data, redactor);
  // Data that looks as if it was sealed is not to be taken for it.
  return found === data && isJsonObject(data) && data['kind'] === 'sealed'
    ? { kind: 'sealed', record: data }
    : found;
};

/** Data as it was, and the values of fields in it, by name. */
export interface OpenedData {
  readonly data: Json;
  readonly fields: Secrets;
}

/**
 * Data as it was before {@link sealData}.
 *
 * @throws {TroupeError} `secret.missing`, `secret.wrong-key`
 */
export const openData = async (
  data: Json,
  {
    place,
    secrets,
    key,
  }: { readonly place: string; readonly secrets: Secrets; readonly key: SecretKey | undefined },
): Promise<OpenedData> => {
  if (!isJsonObject(data) || data['kind'] !== 'sealed') return { data, fields: {} };
  const { text } = data;
  if (typeof text === 'string' && !('record' in data)) {
    const opened = await key?.open(text, place);
    // It is what was sealed: nobody else has the key.
    if (opened !== undefined) return JSON.parse(opened) as OpenedData;
    const code = key === undefined ? 'secret.missing' : 'secret.wrong-key';
    const why = key === undefined ? 'there is no key' : 'the key is another';
    const message = `Cannot open what was sealed as ${why}: give the \`secretKey\` that it was sealed by, or set TROUPE_SECRET_KEY`;
    throw new TroupeError(code, message);
  }
  const missing = { secrets: new Set<string>(), fields: new Set<string>() };
  const opened = dereferenced(data, { secrets, fields: {} }, missing);
  if (missing.secrets.size === 0) return { data: opened, fields: {} };
  const names = [...missing.secrets].join(', ');
  const message = `Cannot open what was kept as it refers to secrets that are not known here: ${names}. Set the variables, or give them as \`secrets\``;
  throw new TroupeError('secret.missing', message, { details: { names: [...missing.secrets] } });
};
