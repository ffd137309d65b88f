import type { Event } from 'nostr-tools/pure';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import { printableJson } from '../../base/text/printable.ts';
import type { NostrConnection, NostrTools } from './nostr-package.ts';
import { loadNostr } from './nostr-package.ts';
import type { Publication } from './publication.ts';
import type { Publisher } from './publisher.ts';

/** Options of publishing to Nostr. */
export interface NostrOptions {
  /** Addresses, such as `wss://relay.example`. */
  readonly relays: readonly string[];
  /** 32 bytes, raw, in hexadecimal, or as `nsec1…`. Used for signatures only, and never shown. */
  readonly secretKey: Uint8Array | string;
  /**
   * Kind of the events: ephemeral ones, which relays forward without storing them (20,000 to 29,999), or regular ones,
   * which they store (1,000 to 9,999). Default 21,111.
   */
  readonly kind?: number | undefined;
  /** The number of relays that have to take an event for it to be published. Default 1. */
  readonly quorum?: number | undefined;
  /** Tags beside those of the run, its number and its kind: `[['p', publicKey]]`. */
  readonly tags?: readonly (readonly string[])[] | undefined;
  /** Default: the platform's own, which Node has from version 22 on; before, that of the package `ws`. */
  readonly webSocket?: typeof WebSocket | undefined;
  /** The time that a relay may take to answer, in ms. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/** The kind that upstream systems use for streams. */
const STREAMING = 21_111;

/**
 * Publishes to Nostr relays, signed, one event for each publication; needs the package `nostr-tools`.
 *
 * The content is the publication as JSON; tags contain the run (`d`), the number (`seq`) and the kind (`t`). A repeated
 * publication has the same id, so relays and clients recognise it. A lost connection is reopened for the next batch.
 *
 * @example
 * const hook = publishTo(nostrPublisher({ relays: ['wss://relay.example'], secretKey: key }));
 *
 * @throws {TroupeError} `publishing.invalid` without relays, for a kind that is neither ephemeral nor regular, or
 * without WebSocket.
 */
export const nostrPublisher = (options: NostrOptions): Publisher => {
  const { relays, kind = STREAMING, quorum = 1, tags = [], timeoutMs = 5_000 } = options;
  const webSocket = options.webSocket ?? globalThis.WebSocket;
  const problem = problemOf(options, kind, quorum, webSocket);
  if (problem !== undefined)
    throw new TroupeError('publishing.invalid', `Cannot publish to Nostr as ${problem}`);
  let loading: Promise<Signer> | undefined;
  const connections = new Map<string, NostrConnection>();

  const connected = async ({ tools }: Signer, url: string): Promise<NostrConnection> => {
    const known = connections.get(url);
    if (known?.connected === true) return known;
    known?.close();
    const connection = new tools.relay.AbstractRelay(url, {
      verifyEvent: tools.pure.verifyEvent,
      websocketImplementation: webSocket,
    });
    connection.publishTimeout = timeoutMs;
    connections.set(url, connection);
    await connection.connect({ timeout: timeoutMs });
    return connection;
  };

  const send = async (signer: Signer, url: string, events: readonly Event[]): Promise<void> => {
    const connection = await connected(signer, url);
    // Sequentially: relays need not keep the order of concurrent events.
    for (const event of events) await connection.publish(event);
  };

  return {
    name: 'nostr',
    publish: async ({ runId, publications }) => {
      // A failure is not cached: the package may be there the next time.
      loading ??= openSigner(options.secretKey);
      const signer = await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      const events = publications.map((each) => signer.sign(each, kind, tags));
      const sent = await Promise.allSettled(relays.map((url) => send(signer, url, events)));
      const refusals = sent.flatMap((each, index) =>
        each.status === 'rejected' ? [`${relays[index] ?? ''}: ${messageOf(each.reason)}`] : [],
      );
      if (relays.length - refusals.length >= quorum) return;
      const message = `Cannot publish to Nostr as too few relays accepted it: ${refusals.join('; ')}`;
      throw new TroupeError('publishing.failed', message, { retryable: 'yes', runId });
    },
    close: () => {
      for (const connection of connections.values()) connection.close();
      connections.clear();
    },
  };
};

const problemOf = (
  { relays }: NostrOptions,
  kind: number,
  quorum: number,
  webSocket: unknown,
): string | undefined => {
  if (relays.length === 0) return 'it needs a relay';
  if (!isPublishable(kind))
    return `its kind is neither ephemeral (20000 to 29999) nor regular (1000 to 9999): ${kind}`;
  if (!(quorum >= 1 && quorum <= relays.length))
    return `'quorum' must be from 1 to the number of relays: ${quorum}`;
  if (webSocket === undefined)
    return 'this platform has no WebSocket: give it that of the package ws (`webSocket`)';
  return undefined;
};

/** Other kinds replace one another, or have a standard meaning. */
const isPublishable = (kind: number): boolean =>
  Number.isInteger(kind) && ((kind >= 20_000 && kind < 30_000) || (kind >= 1_000 && kind < 10_000));

interface Signer {
  readonly tools: NostrTools;
  sign(publication: Publication, kind: number, tags: NonNullable<NostrOptions['tags']>): Event;
}

const openSigner = async (secretKey: Uint8Array | string): Promise<Signer> => {
  const tools = await loadNostr();
  const key = keyOf(secretKey, tools);
  return {
    tools,
    sign: (publication, kind, tags) =>
      tools.pure.finalizeEvent(
        {
          kind,
          // In s; the publication's time, so that the id is the same when it is sent again.
          created_at: Math.floor(publication.at / 1_000),
          tags: [
            ['d', publication.runId],
            ['t', publication.type],
            ['seq', String(publication.seq)],
            ...tags.map((tag) => [...tag]),
          ],
          content: printableJson(publication),
        },
        key,
      ),
  };
};

/** The error shows nothing of the key. */
const keyOf = (secretKey: Uint8Array | string, { pure, nip19 }: NostrTools): Uint8Array => {
  try {
    const key = typeof secretKey === 'string' ? decodeKey(secretKey, nip19) : secretKey;
    pure.getPublicKey(key);
    return key;
  } catch {
    throw new TroupeError(
      'publishing.invalid',
      'Cannot publish to Nostr as the secret key is invalid: give 32 bytes, 64 hexadecimal digits, or nsec1…',
    );
  }
};

const decodeKey = (text: string, nip19: NostrTools['nip19']): Uint8Array => {
  if (/^[0-9a-f]{64}$/i.test(text)) return Uint8Array.from(Buffer.from(text, 'hex'));
  const { type, data } = nip19.decode(text);
  if (type !== 'nsec') throw new TypeError('no secret key');
  return data;
};
