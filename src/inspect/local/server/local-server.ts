import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { errorData, isTroupeError, TroupeError } from '../../../contracts/errors/error.ts';
import { isDrawn } from '../../drawing/drawn-pictures.ts';
import type { Caller } from '../caller.ts';
import type { Company } from '../company.ts';
import type { Feed } from '../feed.ts';
import { isDeep, readBody } from './read-body.ts';
import { LINES, ReplyLines } from './reply-lines.ts';
import { SIGN_HEADER } from '../processes/ask-process.ts';
import type { OtherProcesses } from '../processes/other-processes.ts';
import type { Relay } from '../processes/relay.ts';
import { cookieName, refusalOf } from './request-guard.ts';
import type { ContentRoute } from './server-route.ts';
import {
  findIn,
  fromOf,
  isRelay,
  pageIn,
  processIn,
  relayIn,
  routeOf,
  runIn,
  sinceIn,
  urlOf,
} from './server-route.ts';

/** The resources and operations of the server. */
export interface Served {
  readonly token: string;
  /** Sent with each response, for other processes. */
  readonly sign: string;
  readonly page: () => Promise<string>;
  /** The state of the session, as a page asks for it. */
  readonly session: (asked: AskedSession) => Promise<unknown>;
  /** All runs that have changed since a version; for another process those of this one. */
  readonly runs: (since: number | undefined, isRelay: boolean) => Promise<unknown>;
  /** The work of all runs, added up, and alerts. */
  readonly report: () => Promise<unknown>;
  /** The schedules of all stores that are open; for another process those of this one. */
  readonly schedules: (isRelay: boolean) => Promise<unknown>;
  /** A part of the runs in which words were said, after a run or from the first on. */
  readonly said: (find: string, after: string | undefined) => Promise<unknown>;
  readonly live: Feed;
  readonly others: OtherProcesses;
  readonly relay: Relay;
  /** Somebody looks at the page of another process, which shows the runs of this one. */
  readonly watched: () => void;
  readonly company: Company;
  /** @throws the error of an unreadable run. */
  readonly stored: (runId: string) => Promise<Feed>;
  /** The bytes of media of a run, by their hash. @throws `content.missing` */
  readonly content: (runId: string, hash: string) => Promise<Uint8Array>;
  /** Undefined if control is disabled. `by` is the page of the caller. @throws the error of a refused command. */
  readonly control: ((body: string, by: string, caller: Caller) => Promise<object>) | undefined;
  /** True if it keeps its process alive. */
  readonly keepsProcess: boolean;
}

/** A page's question about the session. */
export interface AskedSession {
  /** The run that is among those that are listed, if the store has it. */
  readonly run: string | undefined;
  /** The process that is shown; undefined: this one. */
  readonly process: string | undefined;
  readonly isRelay: boolean;
}

const HOST = '127.0.0.1';
const MOST_VIEWERS = 32;
const MOST_CONNECTIONS = 128;
/** Maximum number of unauthenticated connections: beyond it the oldest is closed, so that idle ones lock nobody out. */
const MOST_STRANGERS = 48;
/** Time limit for the first request of a connection, in ms. */
const ASK_WITHIN_MS = 10_000;

/**
 * A server on the loopback, for the inspector's page only.
 *
 * I1  Requests without the token, for another host, or from another page are refused.
 * I2  No input makes it throw.
 */
export class LocalServer {
  readonly #served: Served;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Unauthenticated connections, the oldest first. */
  readonly #strangers = new Set<Socket>();
  #port = 0;
  #viewers = 0;

  constructor(served: Served) {
    this.#served = served;
    this.#server = createServer({ requestTimeout: ASK_WITHIN_MS, headersTimeout: ASK_WITHIN_MS });
    this.#server.maxConnections = MOST_CONNECTIONS;
    this.#server.on('request', (request, response) => {
      void this.#take(request, response);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      this.#strangers.add(socket);
      const [oldest] = this.#strangers;
      if (this.#strangers.size > MOST_STRANGERS) oldest?.destroy();
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#strangers.delete(socket);
      });
      socket.on('error', () => socket.destroy());
      if (!served.keepsProcess) socket.unref();
    });
    this.#server.on('clientError', (_, socket) => socket.destroy());
    // Only HTTP is supported.
    this.#server.on('upgrade', (_, socket) => socket.destroy());
  }

  get port(): number {
    return this.#port;
  }

  /** @throws {TroupeError} `inspector.failed` where the port is not to be had. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', (cause) => {
        const message = `Cannot open the inspector as port ${port} is not available: choose another, or 0`;
        reject(new TroupeError('inspector.failed', message, { cause }));
      });
      this.#server.listen({ port, host: HOST }, resolve);
    });
    this.#server.removeAllListeners('error').on('error', () => undefined);
    if (!this.#served.keepsProcess) this.#server.unref();
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address !== null ? address.port : port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    try {
      await this.#answer(request, response);
    } catch (thrown) {
      const data = errorData(thrown, 'internal', { message: 'Cannot answer' });
      fail(response, isTroupeError(thrown) ? statusOf(data.code) : 500, data.code, data.message);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request);
    const { headers } = request;
    const { token } = this.#served;
    const refusal = refusalOf(
      {
        host: headers.host,
        origin: headers.origin,
        site: textOf(headers['sec-fetch-site']),
        cookie: headers.cookie,
        authorization: headers.authorization,
        token: url?.searchParams.get('token') ?? undefined,
      },
      { port: this.#port, token },
    );
    if (refusal !== undefined) return fail(response, 403, 'inspector.failed', `Cannot answer as ${refusal}`);
    this.#strangers.delete(request.socket);
    response.setHeader(SIGN_HEADER, this.#served.sign);
    const route = url === undefined ? undefined : routeOf(url.pathname);
    if (url === undefined || route === undefined)
      return fail(response, 404, 'inspector.failed', 'Cannot answer as there is nothing here');
    if (request.method !== route.method) {
      response.setHeader('allow', route.method);
      return fail(response, 405, 'inspector.failed', `Cannot answer as this takes ${route.method} only`);
    }
    switch (route.name) {
      case 'page':
        return this.#givePage(response);
      case 'session': {
        const asked = { run: runIn(url), process: processIn(url), isRelay: isRelay(url) };
        return give(response, 200, await this.#served.session(asked));
      }
      case 'runs':
        return give(response, 200, await this.#served.runs(sinceIn(url), isRelay(url)));
      case 'report':
        return give(response, 200, await this.#served.report());
      case 'schedules':
        return give(response, 200, await this.#served.schedules(isRelay(url)));
      case 'said':
        return give(response, 200, await this.#served.said(findIn(url), runIn(url)));
      case 'live':
        return this.#show(this.#served.live, url, request, response);
      case 'process':
        return this.#show(this.#served.others.feedOf(route.process), url, request, response);
      case 'stored':
        return this.#giveStored(route.runId, url, request, response);
      case 'content':
        return this.#giveContent(response, route, url);
      case 'watched':
        this.#served.watched();
        request.resume();
        return give(response, 200, { ok: true });
      case 'control':
        return this.#control(request, response, url);
    }
  }

  async #givePage(response: ServerResponse): Promise<void> {
    const page = await this.#served.page();
    const nonce = randomBytes(18).toString('base64');
    const own = `'nonce-${nonce}'`;
    const policy = [
      "default-src 'none'",
      `script-src ${own}`,
      `style-src ${own}`,
      "connect-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ];
    const cookie = `${cookieName({ port: this.#port })}=${this.#served.token}`;
    response.writeHead(200, {
      ...SHARED,
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy.join('; '),
      'set-cookie': `${cookie}; HttpOnly; SameSite=Strict; Path=/`,
    });
    response.end(page.replaceAll('__NONCE__', () => nonce));
  }

  #show(feed: Feed, url: URL, request: IncomingMessage, response: ServerResponse): void {
    if (this.#viewers >= MOST_VIEWERS)
      return fail(response, 503, 'inspector.failed', 'Cannot show it as there are too many viewers');
    this.#viewers += 1;
    response.on('close', () => {
      this.#viewers -= 1;
    });
    beginStream(request, response);
    feed.join(response, fromOf(url, textOf(request.headers['last-event-id'])), relayIn(url));
    if (isRelay(url)) return;
    this.#served.company.join(pageIn(url), feed, response);
    this.#served.others.join(response);
  }

  /** A stored run of this process, or of another one that has it in its store. */
  async #giveStored(
    run: string,
    url: URL,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { relay, stored } = this.#served;
    const holder = isRelay(url) ? undefined : await relay.holderOf(run);
    if (holder === undefined) return this.#show(await stored(run), url, request, response);
    const path = `${url.pathname}?relay&from=${fromOf(url, textOf(request.headers['last-event-id']))}`;
    await holder.pipe(path, response, (isShown) => {
      if (isShown) beginStream(request, response);
      else response.writeHead(409, { ...SHARED, 'content-type': 'application/json; charset=utf-8' });
    });
  }

  /** Media; with `check` whether they can be had, so that the page shows no broken picture. */
  async #giveContent(response: ServerResponse, { runId, hash }: ContentRoute, url: URL): Promise<void> {
    const { relay, content } = this.#served;
    const find = async (): Promise<Uint8Array> =>
      (isRelay(url) ? undefined : await relay.content(runId, hash)) ?? (await content(runId, hash));
    if (!url.searchParams.has('check')) return giveContent(response, await find(), url);
    try {
      await find();
      give(response, 200, { ok: true });
    } catch (thrown) {
      const { code, message } = errorData(thrown, 'internal', { message: 'Cannot answer' });
      give(response, 200, { error: { code, message } });
    }
  }

  async #control(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
      return fail(response, 415, 'input.invalid', 'Cannot read the command as it is not JSON');
    const body = await readBody(request);
    if (body === undefined) {
      // The rest of the body is not read.
      response.setHeader('connection', 'close');
      return fail(response, 413, 'input.invalid', 'Cannot read the command as it is too long');
    }
    if (isDeep(body))
      return fail(response, 400, 'input.invalid', 'Cannot read the command as it is nested too deeply');
    const { relay, control } = this.#served;
    const sent = { body, by: pageIn(url), process: processIn(url), signal: leftSignal(response) };
    const answer = isRelay(url) ? undefined : await relay.command(sent);
    if (answer !== undefined) return give(response, answer.status, answer.text);
    if (control === undefined)
      return fail(
        response,
        403,
        'inspector.failed',
        'Cannot do that as the inspector was opened without control',
      );
    const { by, signal } = sent;
    if (request.headers.accept?.includes(LINES) !== true) {
      give(response, 200, { ok: true, ...(await control(body, by, { signal })) });
      return;
    }
    const lines = new ReplyLines(response, SHARED);
    try {
      const piece = (each: object): void => {
        lines.piece(each);
      };
      const said = { ok: true, ...(await control(body, by, { signal, piece })) };
      if (lines.hasBegun) lines.end(said);
      else give(response, 200, said);
    } catch (thrown) {
      if (!lines.hasBegun) throw thrown;
      const { code, message } = errorData(thrown, 'internal', { message: 'Cannot answer' });
      lines.end({ error: { code, message } });
    }
  }
}

/** Aborted when the connection of a response closes before it was given. */
const leftSignal = (response: ServerResponse): AbortSignal => {
  const left = new AbortController();
  const close = (): void => {
    if (!response.writableFinished) left.abort();
  };
  response.on('close', close);
  if (response.destroyed) close();
  return left.signal;
};

const SHARED = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const;

const beginStream = (request: IncomingMessage, response: ServerResponse): void => {
  response.writeHead(200, { ...SHARED, 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
  request.socket.setNoDelay(true);
};

const textOf = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

const give = (response: ServerResponse, status: number, value: unknown): void => {
  response.writeHead(status, { ...SHARED, 'content-type': 'application/json; charset=utf-8' });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
};

const giveContent = (response: ServerResponse, bytes: Uint8Array, { searchParams }: URL): void => {
  const type = searchParams.get('type') ?? '';
  const isPicture = isDrawn(type);
  response.writeHead(200, {
    ...SHARED,
    'content-type': isPicture ? type : 'application/octet-stream',
    'content-length': bytes.byteLength,
    'content-disposition': isPicture ? 'inline' : 'attachment',
    'content-security-policy': "default-src 'none'; sandbox",
  });
  response.end(bytes);
};

const fail = (response: ServerResponse, status: number, code: string, message: string): void => {
  if (response.headersSent) response.destroy();
  else give(response, status, { error: { code, message } });
};

const statusOf = (code: string): number => {
  if (code.endsWith('unknown') || code === 'content.missing') return 404;
  return code === 'input.invalid' ? 400 : 409;
};
