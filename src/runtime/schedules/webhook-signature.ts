import { TroupeError } from '../../contracts/errors/error.ts';
import { isMessageId } from './schedule-schema.ts';

/** Age of a signature, in either direction, from which it is refused, in ms. */
const TOLERANCE_MS = 300_000;
/** Number of signatures that are looked at in one header: a sender has as many as it has keys. */
const MOST_SIGNATURES = 8;
const PREFIX = 'whsec_';
const KEY_BYTES = { least: 24, most: 64 };
const SIGNATURE_BYTES = 32;

/** The signed parts of a webhook. */
export interface SignedHeaders {
  readonly id: string;
  /** In seconds since 1970, as it was sent. */
  readonly timestamp: string;
  readonly signatures: readonly Uint8Array<ArrayBuffer>[];
}

/** The headers of a request, if they can be those of a webhook of about now. */
export const readSignedHeaders = (headers: Headers, now: number): SignedHeaders | undefined => {
  const id = headers.get('webhook-id');
  const timestamp = headers.get('webhook-timestamp') ?? '';
  // An id with a `.` could pass the time on to the body, and be signed all the same.
  if (!isMessageId(id) || !/^\d{1,12}$/.test(timestamp)) return undefined;
  if (Math.abs(now - Number(timestamp) * 1_000) > TOLERANCE_MS) return undefined;
  const listed = (headers.get('webhook-signature') ?? '').split(' ');
  if (listed.length > MOST_SIGNATURES) return undefined;
  const signatures = listed.flatMap((text) => {
    const bytes = text.startsWith('v1,') ? bytesOf(text.slice(3)) : undefined;
    return bytes?.length === SIGNATURE_BYTES ? [bytes] : [];
  });
  return signatures.length === 0 ? undefined : { id, timestamp, signatures };
};

type ImportedKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Keys of webhooks, imported once. */
export class WebhookKeys {
  readonly #keys: Promise<readonly ImportedKey[]>;

  /** @throws {TroupeError} `schedule.invalid` */
  constructor(given: string | readonly string[]) {
    const texts = typeof given === 'string' ? [given] : given;
    const keys = texts.map((text) => bytesOf(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text));
    const { least, most } = KEY_BYTES;
    const isKey = (bytes: Uint8Array<ArrayBuffer> | undefined): bytes is Uint8Array<ArrayBuffer> =>
      bytes !== undefined && bytes.length >= least && bytes.length <= most;
    if (keys.length === 0 || !keys.every(isKey))
      throw new TroupeError(
        'schedule.invalid',
        `Cannot serve a webhook as a key of it is none: write ${PREFIX} and base64 of ${least} to ${most} bytes`,
      );
    const usage = { name: 'HMAC', hash: 'SHA-256' };
    this.#keys = Promise.all(
      keys.map((bytes) => crypto.subtle.importKey('raw', bytes, usage, false, ['verify'])),
    );
    // Reported by the first request.
    this.#keys.catch(() => undefined);
  }

  /** Checks whether one of the signatures is by one of the keys, in constant time for each. */
  async haveSigned({ id, timestamp, signatures }: SignedHeaders, body: string): Promise<boolean> {
    const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
    for (const key of await this.#keys)
      for (const signature of signatures)
        if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
    return false;
  }
}

/** The bytes of base64; undefined if it is none. */
const bytesOf = (base64: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(base64)) return undefined;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};
