import type { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type * as sdk from '@modelcontextprotocol/server';
import { isJsonObject, toJson } from '../base/json/json.ts';
import { randomId } from '../base/random-id.ts';

type Transport = WebStandardStreamableHTTPServerTransport;

/** Sessions at most: the one used longest ago ends for another. */
const MAX_SESSIONS = 1_000;

const SESSION_HEADER = 'mcp-session-id';

/** A header that every request of the newer protocol has, which knows no sessions. */
const NEWER_HEADER = 'mcp-method';

/**
 * The clients of the older protocol over HTTP that can answer questions: with a session, they may be asked within a call.
 *
 * I1 A session lasts until its client ends it, or {@link MAX_SESSIONS} others were used since: its runs are aborted then.
 * I2 A request with a session of another process is served without it, so that several processes may serve one address.
 */
export class ClientSessions {
  readonly #loaded: typeof sdk;
  readonly #newServer: () => Server;
  /** By id, the one used longest ago first. */
  readonly #sessions = new Map<string, Transport>();
  /** Begins each id that this process made. */
  readonly #mark = randomId();

  constructor(loaded: typeof sdk, newServer: () => Server) {
    this.#loaded = loaded;
    this.#newServer = newServer;
  }

  /** Answers a request that belongs to a session, or that begins one; undefined for any other. */
  async fetch(request: Request): Promise<Response | undefined> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return (await this.#canBeAsked(request)) ? this.#begin(request) : undefined;
    const transport = this.#sessions.get(id);
    if (transport === undefined) return id.startsWith(this.#mark) ? refuseSession() : undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, transport);
    return transport.handleRequest(request);
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.#sessions.values()].map((transport) => transport.close()));
    this.#sessions.clear();
  }

  async #begin(request: Request): Promise<Response> {
    const transport: Transport = new this.#loaded.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => `${this.#mark}-${randomId()}`,
      onsessioninitialized: (id) => {
        this.#keep(id, transport);
      },
      onsessionclosed: (id) => {
        this.#sessions.delete(id);
      },
    });
    await this.#newServer().connect(transport);
    return transport.handleRequest(request);
  }

  #keep(id: string, transport: Transport): void {
    this.#sessions.set(id, transport);
    if (this.#sessions.size <= MAX_SESSIONS) return;
    const [oldest] = this.#sessions;
    if (oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    oldest[1].close().catch(() => undefined);
  }

  /** Checks whether a request is the first of a client of the older protocol that can answer questions. */
  async #canBeAsked(request: Request): Promise<boolean> {
    if (request.method !== 'POST' || request.headers.has(NEWER_HEADER)) return false;
    // It reads the body, within a limit.
    if (!(await this.#loaded.isLegacyRequest(request))) return false;
    const message = toJson(
      await request
        .clone()
        .json()
        .catch(() => null),
    );
    const params =
      isJsonObject(message) && message['method'] === 'initialize' ? message['params'] : undefined;
    const capabilities = isJsonObject(params) ? params['capabilities'] : undefined;
    return isJsonObject(capabilities) && capabilities['elicitation'] !== undefined;
  }
}

/** Tells a client that its session is over, upon which it begins another. */
const refuseSession = (): Response =>
  Response.json(
    { jsonrpc: '2.0', id: null, error: { code: -32_001, message: 'Session not found' } },
    { status: 404 },
  );
