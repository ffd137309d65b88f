import { systemClock } from '../../base/clock.ts';
import { sha256 } from '../../base/sha256.ts';
import type { PostgresClient, PostgresPool } from './postgres-pool.ts';

/** Time after which a lost connection is replaced, in ms. */
const RETRY_MS = 1_000;

/** The channel of a schema, or of a topic in it: a name that is short enough for any. */
export const channelOf = (schema: string, topic?: string): string =>
  `troupe_${sha256(topic === undefined ? schema : JSON.stringify([schema, topic])).slice(0, 32)}`;

/** A listener to a channel. */
export interface ChannelListener {
  /** Called with the text of each notice. */
  readonly next: (text: string) => void;
  /** Called if notices may have been missed. */
  readonly missed?: (() => void) | undefined;
}

/**
 * Listens to channels, on one connection of its own while there are listeners.
 *
 * I1  A connection that is lost is replaced; its listeners are notified that they may have missed something.
 */
export class PostgresListener {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #channels = new Map<string, Set<ChannelListener>>();
  #client: Promise<PostgresClient> | undefined;
  #retry: unknown;

  constructor(pool: () => Promise<PostgresPool>) {
    this.#pool = pool;
  }

  /** Resolves when it listens, with a function that ends it. */
  async listen(channel: string, listener: ChannelListener): Promise<() => Promise<void>> {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners.add(listener));
    const forget = async (): Promise<void> => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#channels.get(channel) !== listeners) return;
      this.#channels.delete(channel);
      if (this.#channels.size === 0) this.end();
      // A connection that is lost does not listen any more either.
      else await this.#client?.then((client) => client.query(`unlisten ${channel}`)).catch(() => undefined);
    };
    try {
      const client = await (this.#client ??= this.#connect());
      await client.query(`listen ${channel}`);
    } catch (thrown) {
      await forget();
      throw thrown;
    }
    return forget;
  }

  /** Ends all listeners. */
  end(): void {
    this.#channels.clear();
    systemClock.clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    client?.then(
      (open) => {
        open.release(true);
      },
      () => undefined,
    );
  }

  #connect(): Promise<PostgresClient> {
    const connecting = this.#pool().then((pool) => pool.connect());
    connecting.then(
      (client) => {
        client.on('notification', ({ channel = '', payload = '' }) => {
          if (this.#client === connecting)
            for (const { next } of this.#channels.get(channel) ?? []) next(payload);
        });
        client.on('error', () => {
          this.#lose(connecting, client);
        });
      },
      () => {
        if (this.#client === connecting) this.#client = undefined;
      },
    );
    return connecting;
  }

  #lose(connection: Promise<PostgresClient>, client: PostgresClient): void {
    if (this.#client !== connection) return;
    this.#client = undefined;
    client.release(true);
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#channels.size === 0) return;
    this.#retry = systemClock.setTimeout(() => {
      this.#listenAgain().catch(() => {
        this.#tryAgain();
      });
    }, RETRY_MS);
  }

  async #listenAgain(): Promise<void> {
    const client = await (this.#client ??= this.#connect());
    for (const channel of this.#channels.keys()) await client.query(`listen ${channel}`);
    for (const listeners of this.#channels.values()) for (const { missed } of listeners) missed?.();
  }
}
