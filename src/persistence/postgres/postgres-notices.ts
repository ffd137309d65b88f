import { systemClock } from '../../base/clock.ts';
import { sha256 } from '../../base/sha256.ts';
import type { PostgresClient, PostgresPool } from './postgres-pool.ts';

/** Time after which a lost connection is replaced, in ms. */
const RETRY_MS = 1_000;

/** The channel of a schema: a name that is short enough for any schema. */
export const channelOf = (schema: string): string => `troupe_${sha256(schema).slice(0, 32)}`;

/**
 * Listens to a channel, on a connection of its own.
 *
 * I1  A connection that is lost is replaced; what was missed meanwhile counts as one notice.
 */
export class PostgresNotices {
  readonly #pool: () => Promise<PostgresPool>;
  readonly #channel: string;
  readonly #notify: () => void;
  #client: PostgresClient | undefined;
  #retry: unknown;
  #isEnded = false;

  constructor(pool: () => Promise<PostgresPool>, channel: string, notify: () => void) {
    this.#pool = pool;
    this.#channel = channel;
    this.#notify = notify;
  }

  /** Resolves when it listens. */
  async listen(): Promise<void> {
    const pool = await this.#pool();
    const client = await pool.connect();
    client.on('notification', () => {
      if (!this.#isEnded) this.#notify();
    });
    client.on('error', () => {
      this.#lose(client);
    });
    try {
      await client.query(`listen ${this.#channel}`);
    } catch (thrown) {
      client.release(true);
      throw thrown;
    }
    if (this.#isEnded) client.release(true);
    else this.#client = client;
  }

  end(): void {
    this.#isEnded = true;
    systemClock.clearTimeout(this.#retry);
    this.#client?.release(true);
    this.#client = undefined;
  }

  #lose(client: PostgresClient): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.release(true);
    this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#isEnded) return;
    this.#retry = systemClock.setTimeout(() => {
      this.listen().then(
        () => {
          this.#notify();
        },
        () => {
          this.#tryAgain();
        },
      );
    }, RETRY_MS);
  }
}
