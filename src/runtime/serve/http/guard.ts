import { refusal } from './refusal.ts';

/** The hosts and origins that a server answers. */
export interface GuardOptions {
  /** Undefined: all. */
  readonly hosts: readonly string[] | undefined;
  readonly origins: readonly string[];
  /** Lets pages send what clients of OpenAI send, too. */
  readonly openai?: boolean | undefined;
}

/** The headers that pages may send. */
const HEADERS = 'authorization, content-type, idempotency-key, last-event-id';
/** Those that clients of OpenAI send by themselves; nobody reads them. */
const OPENAI_HEADERS = [
  'openai-organization, openai-project, openai-beta',
  ...['arch', 'helper-method', 'lang', 'os', 'package-version', 'poll-helper', 'retry-count', 'runtime'].map(
    (name) => `x-stainless-${name}`,
  ),
  'x-stainless-runtime-version, x-stainless-timeout',
].join(', ');

/** The hosts of this very machine. */
export const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests for other hosts and from other pages, and allows pages by CORS. Pure.
 *
 * - Host: a foreign name that resolves to this address (DNS rebinding) is refused, in the URL and in the header `Host`.
 * - Origin: the pages of this host, and those of the list; a request that a browser says is of another site needs an origin of the list.
 */
export class Guard {
  readonly #hosts: readonly string[] | undefined;
  readonly #origins: ReadonlySet<string>;
  readonly #allowed: Readonly<Record<string, string>>;

  constructor({ hosts, origins, openai = false }: GuardOptions) {
    this.#allowed = {
      'access-control-allow-methods': openai ? 'GET, POST, DELETE' : 'GET, POST',
      'access-control-allow-headers': openai ? `${HEADERS}, ${OPENAI_HEADERS}` : HEADERS,
    };
    this.#hosts = hosts?.map((host) => host.toLowerCase());
    this.#origins = new Set(origins);
  }

  /** @throws {TroupeError} `server.refused`, 403 */
  check({ url, headers }: Request): void {
    const { host } = new URL(url);
    for (const asked of [host, headers.get('host') ?? host])
      if (!this.#answersFor(asked.toLowerCase())) throw refusal(403, 'it asks for another host');
    const origin = headers.get('origin');
    const site = headers.get('sec-fetch-site');
    if (origin === null) {
      if (site === 'cross-site') throw refusal(403, 'it comes from a page of another site');
    } else if (!this.#isAllowed(origin) && hostOf(origin) !== host)
      throw refusal(403, 'it comes from a page of another origin');
  }

  /** Headers that let the page of a request read the response; none for pages of this host. */
  corsHeaders({ headers }: Request): Readonly<Record<string, string>> {
    const origin = headers.get('origin');
    if (origin === null || !this.#isAllowed(origin)) return {};
    return {
      // By name: a page of any origin gets no cookies.
      ...(this.#origins.has(origin)
        ? { 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' }
        : { 'access-control-allow-origin': '*' }),
      'access-control-expose-headers': 'location, retry-after, troupe-without-effect, x-should-retry',
      vary: 'origin',
    };
  }

  /** Answers a preflight request. */
  preflight(request: Request): Response {
    return new Response(null, {
      status: 204,
      headers: {
        ...this.corsHeaders(request),
        ...this.#allowed,
        'access-control-max-age': '600',
      },
    });
  }

  #isAllowed(origin: string): boolean {
    return this.#origins.has(origin) || this.#origins.has('*');
  }

  #answersFor(host: string): boolean {
    if (this.#hosts === undefined) return true;
    return this.#hosts.includes(host) || this.#hosts.includes(host.replace(/:\d+$/, ''));
  }
}

/** The host of an origin; of `null`, as of a sandboxed page, none. */
const hostOf = (origin: string): string | undefined =>
  URL.canParse(origin) ? new URL(origin).host : undefined;
