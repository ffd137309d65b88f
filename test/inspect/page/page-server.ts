import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Recorder } from '../../../src/inspect/recording/recorder.ts';
import type { SaidPart } from '../../../src/inspect/recording/find-said.ts';
import type { WorkReport } from '../../../src/inspect/recording/report/work-report.ts';
import type { RunRow, Session } from '../../../src/inspect/page/session.ts';
import { builtPage } from '../../support/built-package.ts';

/** What a page is shown. */
export interface Shown {
  readonly recorder: Pick<Recorder, 'recording' | 'handles'>;
  readonly session: () => Session;
  /** All runs; default: those of the session. */
  readonly rows?: () => readonly RunRow[];
  /** The work of all runs; default: none. */
  readonly report?: () => WorkReport;
  /** What was said in runs; default: nothing. */
  readonly said?: (find: string, after: string | undefined) => SaidPart;
  /** Stored recordings by run: lines of entries. */
  readonly stored?: Readonly<Record<string, readonly string[]>>;
  /** Messages about stored runs that cannot be shown. */
  readonly unshown?: Readonly<Record<string, string>>;
  /** Hears what the page asks of a run. */
  readonly control?: (body: unknown) => void;
}

/** A server that speaks the inspector's protocol, and nothing else. */
export interface PageServer {
  readonly address: string;
  close(): Promise<void>;
}

const nonce = 'c29tZXRoaW5n';
let page: string | undefined;

/** As strict as the page can bear: nothing but its own script and style, and its own server. */
const policy = [
  `default-src 'none'`,
  `script-src 'nonce-${nonce}'`,
  `style-src 'nonce-${nonce}'`,
  `connect-src 'self'`,
  `img-src 'self' data:`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

export const startPageServer = async (shown: Shown, at = 0): Promise<PageServer> => {
  const server = createServer((request, response) => {
    void answer(shown, request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(at, '127.0.0.1', resolve);
  });
  // It listens to a port.
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};

const answer = async (shown: Shown, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/') {
    page ??= builtPage();
    const html = page.replaceAll('__NONCE__', nonce);
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(html);
  } else if (pathname === '/api/session') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(shown.session()));
  } else if (pathname === '/api/runs') {
    const rows = shown.rows?.() ?? shown.session().runs;
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ version: 1, isWhole: true, rows }));
  } else if (pathname === '/api/report') {
    const found = shown.report?.() ?? { runs: 0, read: 0, rows: [], alerts: undefined };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found));
  } else if (pathname === '/api/said') {
    const part = shown.said?.(searchParams.get('find') ?? '', searchParams.get('run') ?? undefined) ?? {
      found: [],
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(part));
  } else if (pathname === '/api/recording') {
    follow(shown.recorder, response, Number(searchParams.get('from')));
  } else if (pathname.startsWith('/api/stored/')) {
    const run = decodeURIComponent(pathname.split('/')[3] ?? '');
    const message = shown.unshown?.[run];
    if (message !== undefined) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { code: 'agent.unknown', message } }));
      return;
    }
    begin(response);
    write(response, 'base', JSON.stringify({ length: 0, charts: [], actors: [] }));
    const lines = shown.stored?.[run] ?? [];
    write(response, 'entries', `{"n":0,"rows":[${lines.map((line) => `[0,${line}]`).join(',')}]}`);
    response.end();
  } else if (pathname === '/api/control') {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(Buffer.from(part as Uint8Array));
    shown.control?.(JSON.parse(Buffer.concat(parts).toString()));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  } else if (pathname.startsWith('/api/content/')) {
    // Whether they can be read: the bytes themselves nobody asks for here.
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  } else response.writeHead(404).end();
};

const begin = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
};

const write = (response: ServerResponse, event: string, data: string, id?: number): void => {
  response.write(`event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
};

const follow = ({ recording, handles }: Shown['recorder'], response: ServerResponse, from: number): void => {
  begin(response);
  if (from <= 0 || from < recording.first || from > recording.length)
    write(response, 'base', recording.base());
  let next = Math.max(from, recording.first);
  const tellEntries = (): void => {
    // Together, as a write for each would be most of what a long recording costs.
    response.cork();
    for (let pack = recording.packAt(next); pack !== undefined; pack = recording.packAt(next)) {
      write(response, 'entries', pack.text, pack.next - 1);
      next = pack.next;
    }
    response.uncork();
  };
  tellEntries();
  let asked = '';
  const tellRequests = (): void => {
    const open = [...handles].flatMap(([run, { requests }]) => requests.map((each) => ({ ...each, run })));
    const line = JSON.stringify(open);
    if (line !== asked) write(response, 'requests', (asked = line));
  };
  tellRequests();
  const timer = setInterval(tellRequests, 50);
  const stop = recording.follow({
    grew: tellEntries,
    delta: (line) => {
      write(response, 'delta', line);
    },
  });
  response.on('close', () => {
    clearInterval(timer);
    stop();
  });
};
