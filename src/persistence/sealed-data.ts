import { TroupeError } from '../contracts/errors/error.ts';
import type { Json } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { Redactor, Secrets } from '../contracts/secrets/redactor.ts';
import type { SecretKey } from '../contracts/secrets/secret-key.ts';
import { restoreSecrets, replaceSecrets } from './secret-references.ts';

/** The sealing of data outside a journal, and its place: it cannot be opened in another one. */
export interface SealingPlace {
  readonly place: string;
  readonly redactor: Redactor;
  readonly key: SecretKey | undefined;
  /** Seals all of it if there is a key, as it is not known yet which parts are secret. */
  readonly isUnknown?: boolean | undefined;
}

/**
 * Data as stored outside a journal: with references to named secrets, and sealed as a whole if it contains secret fields. Data without
 * secrets is returned unchanged.
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
      `Cannot store data with secret fields as there is no key to seal them: ${names.join(', ')}. Pass \`secretKey\`, or set TROUPE_SECRET_KEY`,
      { details: { names } },
    );
  const found = replaceSecrets(data, redactor);
  // Distinguishes data that looks sealed from sealed data.
  return found === data && isJsonObject(data) && data['kind'] === 'sealed'
    ? { kind: 'sealed', record: data }
    : found;
};

/** Opened data, and the secret fields in it, by name. */
export interface OpenedData {
  readonly data: Json;
  readonly fields: Secrets;
}

/**
 * Opens the result of {@link sealData}.
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
    // Authenticated by the key.
    if (opened !== undefined) return JSON.parse(opened) as OpenedData;
    const code = key === undefined ? 'secret.missing' : 'secret.wrong-key';
    const why = key === undefined ? 'there is no key' : 'the key is a different one';
    const message = `Cannot open sealed data as ${why}: pass the \`secretKey\` that sealed it, or set TROUPE_SECRET_KEY`;
    throw new TroupeError(code, message);
  }
  const missing = { secrets: new Set<string>(), fields: new Set<string>() };
  const opened = restoreSecrets(data, { secrets, fields: {} }, missing);
  if (missing.secrets.size === 0) return { data: opened, fields: {} };
  const names = [...missing.secrets].join(', ');
  const message = `Cannot open stored data as it refers to secrets that are not known here: ${names}. Set the variables, or pass them as \`secrets\``;
  throw new TroupeError('secret.missing', message, { details: { names: [...missing.secrets] } });
};
