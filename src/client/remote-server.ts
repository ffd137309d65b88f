import { tryRead } from '../base/try-read.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { ErrorCode } from '../contracts/errors/error-data.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { AddressOptions } from './run-address.ts';
import { addressOf, addressOrPath, fetchAddress, refusalBy, unreachableError } from './run-address.ts';
import { backOff, isAborted } from './pause.ts';

/** Options of {@link connect}. */
export type ConnectOptions = AddressOptions;

/** A request to a server. */
export interface Asked {
  /** It is posted; without one, the request is a GET. */
  readonly body?: object | undefined;
  /** Posts with the same key are done once. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A reply of a server. */
export interface Reply {
  readonly status: number;
  readonly value: unknown;
}

/** Attempts of a request that may be repeated, unless `attempts` says otherwise. */
const ATTEMPTS = 5;

/** A server of agents, as a client reaches it. */
export class RemoteServer {
  readonly options: ConnectOptions;
  readonly #base: string;

  constructor(url: string | URL, options: ConnectOptions) {
    this.options = options;
    this.#base = baseOf(url);
  }

  /** The address of a path. */
  at(path: string): string {
    return `${this.#base}${path}`;
  }

  /**
   * Asks the server; what is read, or posted with a key, is asked again after a failure that may pass, for `attempts` times (default 5).
   *
   * @throws {TroupeError} the error that the server tells; `stream.refused` where it cannot be reached, or gives no reason
   */
  async ask(path: string, asked: Asked = {}): Promise<Reply> {
    const { attempts = ATTEMPTS } = this.options;
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#once(path, asked);
      } catch (thrown) {
        const { body, key, signal } = asked;
        const isRepeatable = body === undefined || key !== undefined;
        const mayPass = thrown instanceof TroupeError && thrown.retryable === 'yes';
        if (!isRepeatable || !mayPass || failures >= attempts || isAborted(signal)) throw thrown;
        await backOff(failures, this.options, signal, thrown.retryAfterMs);
      }
    }
  }

  async #once(path: string, { body, key, signal }: Asked): Promise<Reply> {
    const url = addressOf(this.at(path));
    let response: Response;
    let text: string;
    try {
      response = await fetchAddress(url, this.options, {
        defaults: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) },
        own: key === undefined ? undefined : { 'idempotency-key': key },
        body: body && JSON.stringify(body),
        signal,
      });
      text = await response.text();
    } catch (cause) {
      throw unreachableError(url, cause, isAborted(signal) ? 'no' : 'yes');
    }
    const { status } = response;
    const value = tryRead((): unknown => JSON.parse(text));
    if (response.ok) return { status, value };
    throw refusalIn(value, status) ?? refusalBy(url, status);
  }
}

/** The address without what follows its path. */
const baseOf = (url: string | URL): string =>
  addressOrPath(url)
    .replace(/[?#].*/s, '')
    .replace(/\/$/, '');

/** The error that a server tells; undefined for a reply of anything else, such as a proxy. */
const refusalIn = (value: unknown, status: number): TroupeError | undefined => {
  const error = isJsonObject(value) ? value['error'] : undefined;
  if (!isJsonObject(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string')
    return undefined;
  const { code, message, retryable, retryAfterMs, runId } = error;
  // The code of a later server may be unknown here: it is passed on.
  return new TroupeError(code as ErrorCode, message, {
    status,
    retryable: retryable === 'yes' || retryable === 'maybe' ? retryable : 'no',
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    runId: typeof runId === 'string' ? runId : undefined,
  });
};
