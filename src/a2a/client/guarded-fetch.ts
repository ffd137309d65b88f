import { boundMessages } from '../../base/bound-messages.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { retryAfterMs } from '../../models/retry/retry-after.ts';
import type { A2aAgentOptions } from './a2a-options.ts';

/** Bytes of one message: of a response, or of one line of a stream. */
const MAX_MESSAGE_BYTES = 10_000_000;
/** The way to another agent, for what its requests need. */
export interface GuardOptions extends Pick<A2aAgentOptions, 'headers' | 'auth' | 'hosts'> {
  readonly name: string;
  readonly url: URL;
  readonly fetch: typeof globalThis.fetch;
  /** Registers a secret of the run. */
  readonly hide: (secret: string, name: string) => void;
}

/** True for an address that requests may go to: that of the agent, or of one of the hosts; what is https never becomes http. */
export const isAllowed = (
  given: string,
  { url, hosts = [] }: Pick<GuardOptions, 'url' | 'hosts'>,
): boolean => {
  if (!URL.canParse(given)) return false;
  const to = new URL(given);
  if (to.protocol !== 'https:' && (to.protocol !== 'http:' || url.protocol === 'https:')) return false;
  return to.username === '' && to.password === '' && (to.origin === url.origin || hosts.includes(to.host));
};

/**
 * Wraps a `fetch` for another party: credentials go to its own hosts alone, no redirect is followed, and what it says is bounded.
 *
 * The fetch throws `tool.denied` for other addresses and redirects, `server.refused` where the credentials are refused,
 * `message.undelivered` for what may pass.
 */
export const guardedFetch = (guard: GuardOptions): typeof globalThis.fetch => {
  const send = async (
    address: string,
    init: RequestInit | undefined,
    isRefused: boolean,
  ): Promise<Response> =>
    guard.fetch(address, {
      ...init,
      redirect: 'manual',
      headers: { ...plainHeaders(init?.headers), ...(await credentials(guard, isRefused)) },
    });
  return async (input, init) => {
    const address = addressOf(input);
    if (!isAllowed(address, guard)) throw deniedError(guard.name, `its card leads to '${hostIn(address)}'`);
    let response = await send(address, init, false);
    if (response.status === 401 && guard.auth !== undefined) {
      await response.body?.cancel();
      response = await send(address, init, true);
    }
    await assertUsable(response, guard.name);
    return boundResponse(response, guard.name);
  };
};

const credentials = async (
  { name, headers = {}, auth, hide }: GuardOptions,
  isRefused: boolean,
): Promise<Readonly<Record<string, string>>> => {
  if (auth === undefined) return headers;
  const token: unknown = await auth(isRefused);
  if (typeof token !== 'string' || token === '')
    throw new TroupeError('server.refused', `Cannot call '${name}' as its \`auth\` gave no token`, {
      status: 401,
    });
  hide(token, `${name}.token`);
  return { ...headers, authorization: `Bearer ${token}` };
};

const assertUsable = async (response: Response, name: string): Promise<void> => {
  const { status, headers } = response;
  if (
    response.type !== 'opaqueredirect' &&
    (status < 300 || (status >= 400 && !REFUSING.has(status) && !PASSING.has(status)))
  )
    return;
  await response.body?.cancel();
  if (REFUSING.has(status))
    throw new TroupeError(
      'server.refused',
      `Cannot call '${name}' as it refuses the credentials: HTTP ${status}`,
      {
        status,
      },
    );
  if (!PASSING.has(status)) throw deniedError(name, 'it leads elsewhere by a redirect');
  const waitMs = retryAfterMs(headers, Date.now());
  throw new TroupeError(
    'message.undelivered',
    `Cannot call '${name}' as it cannot answer now: HTTP ${status}`,
    {
      status,
      retryable: 'yes',
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    },
  );
};

const REFUSING: ReadonlySet<number> = new Set([401, 403]);
const PASSING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

const boundResponse = (response: Response, name: string): Response => {
  const { status, statusText, headers, body } = response;
  if (body === null) return response;
  const isStream = headers.get('content-type')?.includes('event-stream') === true;
  const bounded = boundMessages({ most: MAX_MESSAGE_BYTES, isStream, tooLong: () => longError(name) });
  return new Response(body.pipeThrough(bounded), { status, statusText, headers });
};

const longError = (name: string): TroupeError =>
  new TroupeError(
    'message.invalid',
    `Cannot read from '${name}' as a message is longer than ${MAX_MESSAGE_BYTES} bytes`,
  );

const deniedError = (name: string, why: string): TroupeError =>
  new TroupeError(
    'tool.denied',
    `Cannot call '${name}' as ${why}: write \`hosts\` if that is to be trusted with its requests`,
    { retryable: 'no' },
  );

const addressOf = (input: Parameters<typeof globalThis.fetch>[0]): string =>
  input instanceof Request ? input.url : String(input);

const hostIn = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : address.slice(0, 100);

const plainHeaders = (headers: RequestInit['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(new Headers(headers).entries());
