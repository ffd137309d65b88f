import type * as sdk from '@modelcontextprotocol/client';
import type {
  Client,
  ClientCapabilities,
  JsonSchemaValidator,
  Tool as McpTool,
} from '@modelcontextprotocol/client';
import { systemClock } from '../../base/clock.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { failLostAnswers } from './lost-answers.ts';
import { mcpError } from './mcp-errors.ts';
import type { McpServerOptions, McpStatus } from './mcp-options.ts';
import { handOnTask } from './mcp-task.ts';
import { authProvider, withAuthorization } from './server-auth.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Waits between attempts to connect, in ms: doubled each time. */
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 8_000;

/** Pages of a list that are read. */
const MAX_PAGES = 64;

/** Time that a server has to end its session, in ms. */
const SESSION_END_MS = 1_000;

/** Rounds of questions within a call. */
const MAX_ROUNDS = 20;

/** The package behind this connection. */
const PACKAGE = '@modelcontextprotocol/client';

/** The client's package. */
type ClientPackage = typeof sdk;

type HttpTransport = InstanceType<ClientPackage['StreamableHTTPClientTransport']>;

/** The listeners to a connection. */
export interface ConnectionEvents {
  /** Registers a secret. */
  hide(secret: string, name: string): void;
  /** Adds the handlers of what the server may ask for, before a client connects. */
  prepare(client: Client): void;
  readonly capabilities: ClientCapabilities;
  /** Called with the list of tools: after each connection, and when the server says that it changed. */
  listed(tools: readonly McpTool[]): void;
}

/**
 * A connection to a server, with a life: connecting, ready, lost, backing off, closed.
 *
 * I1 A lost connection is restored by the next request; concurrent requests share one attempt.
 * I2 After `close` nothing connects again, and every program that was started is over.
 * I3 A handshake that is not done in time, or not before `close`, leaves nothing open.
 */
export class McpConnection {
  readonly #options: McpServerOptions;
  readonly #events: ConnectionEvents;
  readonly #closing = new AbortController();
  #status: McpStatus = 'lost';
  #client: Client | undefined;
  #connecting: Promise<Client> | undefined;
  #program: StdioTransport | undefined;
  #http: HttpTransport | undefined;
  #closed: Promise<void> | undefined;
  /** The end of all transports that were given up. */
  #released: Promise<unknown> = Promise.resolve();
  /** True if the server spoke the protocol of 2025 before: it need not be asked again. */
  #isOlder = false;

  constructor(options: McpServerOptions, events: ConnectionEvents) {
    this.#options = options;
    this.#events = events;
  }

  /** True if the server speaks the protocol of 2025-11-25. */
  get isLegacy(): boolean {
    return this.#isOlder;
  }

  get status(): McpStatus {
    return this.#status;
  }

  /** Makes a request; its failure is an error of troupe, and a lost connection is noticed. */
  async request<Result>(doing: string, work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = await this.#ready();
    try {
      return await this.#withAuthorization(() => work(client));
    } catch (thrown) {
      const error = mcpError(thrown, doing, this.#program?.account);
      if (error.code === 'mcp.lost') this.#lose(client);
      throw error;
    }
  }

  /** Ends the connection, and the program behind it. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closing.abort(this.#over());
    this.#enter('closed');
    await this.#connecting?.catch(() => undefined);
    await this.#endSession();
    await this.#client?.close();
    this.#client = undefined;
    await this.#released;
  }

  /** Has an older server forget the session that it keeps for this client; one that does not answer is left alone. */
  async #endSession(): Promise<void> {
    if (this.#client === undefined || this.#http?.sessionId === undefined) return;
    try {
      await withinTime(this.#http.terminateSession(), {
        ms: SESSION_END_MS,
        clock: systemClock,
        late: () => this.#late(SESSION_END_MS),
      });
    } catch {
      // It ends by itself, as the sessions of clients that are gone do.
    }
  }

  #ready(): Promise<Client> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#over());
    if (this.#client !== undefined) return Promise.resolve(this.#client);
    return (this.#connecting ??= this.#reconnect().finally(() => {
      this.#connecting = undefined;
    }));
  }

  async #reconnect(): Promise<Client> {
    const { attempts = 3 } = this.#options;
    for (let attempt = 1, waitMs = FIRST_WAIT_MS; ; attempt += 1, waitMs *= 2) {
      try {
        return await this.#withAuthorization(() => this.#connect());
      } catch (thrown) {
        const error = mcpError(thrown, `connect to ${this.#name}`, this.#program?.account);
        this.#enter('lost');
        if (attempt >= attempts || error.retryable === 'no' || this.#closing.signal.aborted) throw error;
        this.#enter('backing-off');
        await this.#pause(Math.min(waitMs, LONGEST_WAIT_MS));
      }
    }
  }

  #withAuthorization<Result>(work: () => Promise<Result>): Promise<Result> {
    const isRefusal = (thrown: unknown) => mcpError(thrown, '').code === 'mcp.auth';
    return withAuthorization(this.#options.auth, isRefusal, work);
  }

  async #connect(): Promise<Client> {
    this.#enter('connecting');
    const { connectTimeoutMs = 30_000 } = this.#options;
    const expiry = new AbortController();
    const signal = AbortSignal.any([this.#closing.signal, expiry.signal]);
    const client = await withinTime(this.#handshake(connectTimeoutMs, signal), {
      ms: connectTimeoutMs,
      clock: systemClock,
      late: () => {
        const error = this.#late(connectTimeoutMs);
        expiry.abort(error);
        return error;
      },
    });
    this.#client = client;
    this.#enter('ready');
    return client;
  }

  async #handshake(timeout: number, signal: AbortSignal): Promise<Client> {
    const loaded = await loadPackage(
      PACKAGE,
      () => import('@modelcontextprotocol/client').catch(rethrow),
      'mcp.package-missing',
    );
    signal.throwIfAborted();
    const client = this.#newClient(loaded, timeout);
    const transport = this.#transport(loaded);
    // The client calls it first, and reads the message after it.
    transport.onmessage = handOnTask;
    this.#program = transport instanceof StdioTransport ? transport : undefined;
    this.#http = transport instanceof StdioTransport ? undefined : transport;
    client.onclose = () => {
      this.#lose(client);
    };
    // The client asks its first question without a signal.
    const release = (): void => {
      this.#released = Promise.all([this.#released, transport.close().catch(() => undefined)]);
    };
    signal.addEventListener('abort', release);
    try {
      await client.connect(transport, {
        signal,
        timeout,
        ...(this.#isOlder ? { prior: { kind: 'legacy' } } : {}),
      });
      this.#isOlder = client.getProtocolEra() === 'legacy';
      const hasTools = client.getServerCapabilities()?.tools !== undefined;
      const list = hasTools
        ? await client.listTools(undefined, { signal, timeout, cacheMode: 'refresh' })
        : undefined;
      // An answer that comes after all is not taken.
      signal.throwIfAborted();
      if (list !== undefined) this.#events.listed(list.tools);
      return client;
    } catch (thrown) {
      // A program that cannot take the first question of the newer protocol ends: then it is asked the older one.
      const isOver = this.#program !== undefined && !this.#isOlder && !signal.aborted;
      await client.close().catch(() => undefined);
      await transport.close().catch(() => undefined);
      const hasFailed = mcpError(thrown, '').code === 'mcp.unavailable';
      if (!isOver || hasFailed) throw thrown;
      this.#isOlder = true;
      return await this.#handshake(timeout, signal);
    } finally {
      signal.removeEventListener('abort', release);
    }
  }

  #newClient(loaded: ClientPackage, timeout: number): Client {
    const { capabilities } = this.#events;
    const client = new loaded.Client(
      { name: 'troupe', version: '0.1.0' },
      {
        capabilities,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: timeout / 2 } },
        // Results are checked by the tools, in bounded time.
        jsonSchemaValidator: { getValidator: acceptAny },
        inputRequired: { maxRounds: MAX_ROUNDS },
        listMaxPages: MAX_PAGES,
        listChanged: {
          tools: {
            onChanged: (error, tools) => {
              if (error === null && tools !== null) this.#events.listed(tools);
            },
          },
        },
      },
    );
    this.#events.prepare(client);
    return client;
  }

  #transport(loaded: ClientPackage): StdioTransport | HttpTransport {
    const { name, command, url, headers = {}, auth, fetch = globalThis.fetch } = this.#options;
    if (command !== undefined)
      return new StdioTransport({ ...this.#options, command }, (line) => loaded.deserializeMessage(line));
    for (const [header, value] of Object.entries(headers))
      if (!PUBLIC_HEADER.test(header)) this.#events.hide(value, `${name}.${header}`);
    const transport = new loaded.StreamableHTTPClientTransport(new URL(url ?? ''), {
      fetch: boundedFetch(name, fetch),
      requestInit: { headers },
      reconnectionOptions: RECONNECTION,
      ...(auth === undefined ? {} : { authProvider: authProvider(auth, name, this.#events) }),
    });
    failLostAnswers(transport);
    return transport;
  }

  #lose(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    if (this.#closing.signal.aborted) return;
    this.#enter('lost');
    client.close().catch(() => undefined);
  }

  #enter(status: McpStatus): void {
    if (this.#status === status || this.#status === 'closed') return;
    this.#status = status;
    try {
      this.#options.onStatus?.(status, this.#options.name);
    } catch {
      // A listener that fails does not change a connection.
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        systemClock.clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = systemClock.setTimeout(wake, ms);
      signal.addEventListener('abort', wake);
    });
  }

  get #name(): string {
    return `the MCP server '${this.#options.name}'`;
  }

  #late(ms: number): TroupeError {
    const account = this.#program?.account ?? '';
    const found = `${ms} ms${account === '' ? '' : `; ${account}`}`;
    return new TroupeError(
      'mcp.unavailable',
      `Cannot connect to ${this.#name} as it does not answer: ${found}`,
      { retryable: 'yes' },
    );
  }

  #over(): TroupeError {
    return new TroupeError('mcp.lost', `Cannot use ${this.#name} as its connection is closed`);
  }
}

/** Streams that were broken off are resumed once, where the server can. */
const RECONNECTION = {
  initialReconnectionDelay: 250,
  maxReconnectionDelay: 2_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 1,
} as const;

/** Headers whose values are no secrets. */
const PUBLIC_HEADER = /^(accept|content|user-agent|mcp-protocol|origin|referer)/i;

/** The type of the data is the server's own business: nothing here relies on it. */
const acceptAny =
  <Value>(): JsonSchemaValidator<Value> =>
  (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
