import { fromBase64, toBase64 } from '../../base/bytes.ts';
import { TroupeError } from '../errors/error.ts';

type Cipher = typeof crypto.subtle;
type ImportedKey = Awaited<ReturnType<Cipher['importKey']>>;

/** Bytes of a key, and of what makes each sealed text another. */
const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/**
 * A key that seals texts (AES-256-GCM), with earlier keys: the first one seals, each of them opens.
 *
 * A text sealed for one place cannot be opened at another.
 */
export class SecretKey {
  readonly #keys: readonly Promise<ImportedKey>[];

  /** @throws {TroupeError} `secret.invalid` unless each key has 32 bytes, as 64 hexadecimal digits or in base64. */
  constructor(given: string | readonly string[]) {
    const texts: readonly unknown[] = typeof given === 'string' ? [given] : given;
    if (!Array.isArray(texts) || texts.length === 0) throw invalid(`found ${kindOf(given)}`);
    this.#keys = texts.map((text) => {
      const bytes = bytesOf(text);
      const key = cipher().importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
      // The rejection reaches every use of the key.
      key.catch(() => undefined);
      return key;
    });
  }

  /** Seals a text for its place, in base64. */
  async seal(text: string, place: string): Promise<string> {
    const [key] = this.#keys;
    if (key === undefined) throw invalid('found none');
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const sealed = await cipher().encrypt(howAt(place, nonce), await key, new TextEncoder().encode(text));
    return toBase64(new Uint8Array([...nonce, ...new Uint8Array(sealed)]));
  }

  /** Opens what was sealed for that place; undefined where none of the keys is the one, or the text was changed. */
  async open(sealed: string, place: string): Promise<string | undefined> {
    const bytes = fromBase64(sealed);
    if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
    const how = howAt(place, bytes.slice(0, NONCE_BYTES));
    for (const key of this.#keys)
      try {
        const text = await cipher().decrypt(how, await key, bytes.slice(NONCE_BYTES));
        return new TextDecoder().decode(text);
      } catch (thrown) {
        if (!(thrown instanceof Error) || thrown.name !== 'OperationError') throw thrown;
      }
    return undefined;
  }
}

const howAt = (place: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(place),
});

const cipher = (): Cipher => {
  // Absent on a page that was not loaded over HTTPS.
  const { subtle }: { readonly subtle?: Cipher | undefined } = crypto;
  if (subtle !== undefined) return subtle;
  throw new TroupeError(
    'secret.invalid',
    'Cannot use `secretKey` as this platform has no `crypto.subtle`: a page must be loaded over HTTPS',
  );
};

const bytesOf = (given: unknown): Uint8Array<ArrayBuffer> => {
  if (typeof given !== 'string') throw invalid(`found ${kindOf(given)}`);
  const text = given.trim();
  const bytes = HEX.test(text) ? fromHex(text) : fromBase64(text);
  if (bytes?.length === KEY_BYTES) return bytes;
  // Its length may be reported, its content is secret.
  throw invalid(`found a text of ${text.length} characters`);
};

const invalid = (found: string): TroupeError =>
  new TroupeError(
    'secret.invalid',
    `Cannot use \`secretKey\` as it is not a key of 32 bytes, in base64 or hexadecimal digits: ${found}. Make one by \`openssl rand -base64 32\``,
  );

const kindOf = (given: unknown): string => {
  if (Array.isArray(given)) return 'an empty list';
  return given === null ? 'null' : `a value of type ${typeof given}`;
};

const HEX = /^[0-9a-f]{64}$/i;

const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
