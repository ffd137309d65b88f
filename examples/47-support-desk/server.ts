// The server: the desk over HTTP, the same runs for `useChat`, and the pages. All that it knows is in its store, so it may be killed at any time.
//
//   npx tsx examples/47-support-desk/server.ts PORT DATABASE PAGES
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { createGlobalEngine } from 'troupe';
import { connect } from 'troupe/client';
import { readUiMessages, uiMessageResponse } from 'troupe/inspect';
import { serve } from 'troupe/server';
import { sqliteStore } from 'troupe/stores';
import { clerk } from './desk.ts';

const [port = '8047', database = 'desk.db', pages = 'pages'] = process.argv.slice(2);

// Who may do what: customers do not release their own refunds. In a product, a session says who it is.
const callers: Readonly<Record<string, { who: string; may: readonly ('start' | 'watch' | 'answer')[] }>> = {
  'Bearer customer': { who: 'customer', may: ['start', 'watch'] },
  'Bearer lead': { who: 'Lena Lead', may: ['watch', 'answer'] },
};

export const service = serve(createGlobalEngine(), {
  agents: { clerk },
  store: sqliteStore(database),
  basePath: '/desk',
  auth: (request) => callers[request.headers.get('authorization') ?? ''],
  sweepMs: 500, // what a killed process has left is resumed soon
  onProblem: console.error,
});

// The routes of `useChat` start and find runs as any client does, without a network.
const desk = connect<typeof service>('http://localhost/desk', {
  headers: { authorization: 'Bearer customer' },
  fetch: (input, init) => service.fetch(new Request(input, init)),
});

const chat = async (request: Request): Promise<Response> => {
  const [, id] = /^\/chat\/([\w-]+)\/stream$/.exec(new URL(request.url).pathname) ?? [];
  if (id !== undefined) {
    // A page that lost its connection, or that was opened again: the newest run of its thread, in whatever process it began.
    const found = (await desk.runs()).find(({ thread }) => thread === id);
    return uiMessageResponse(found && desk.at(found.runId), { staysOpen: true });
  }
  const { input, chatId } = await readUiMessages(request);
  if (typeof input !== 'string') return new Response('Send a text, please.', { status: 400 });
  const run = await desk.start('clerk', input, { thread: chatId });
  // The lead answers on a page of their own: the stream stays open while they think.
  return uiMessageResponse(run, { staysOpen: true });
};

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const sendPage = (path: string, outgoing: ServerResponse): void => {
  const named = path === '/' ? '/customer.html' : extname(path) === '' ? `${path}.html` : path;
  const file = join(pages, normalize(named));
  if (!existsSync(file)) outgoing.writeHead(404).end('There is no such page.');
  else {
    outgoing.setHeader('content-type', types[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(outgoing);
  }
};

const answerChat = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const url = new URL(incoming.url ?? '/', 'http://localhost');
  const { method = 'GET' } = incoming;
  const request = new Request(url, method === 'POST' ? { method, body: await text(incoming) } : {});
  const response = await chat(request);
  outgoing.writeHead(response.status, [...response.headers].flat());
  outgoing.flushHeaders();
  if (response.body === null) outgoing.end();
  // The platform's type and Node's name one class twice.
  else await pipeline(Readable.fromWeb(response.body as NodeStream<Uint8Array>), outgoing);
};

createServer((incoming, outgoing) => {
  const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
  if (pathname.startsWith('/desk/')) service.listener(incoming, outgoing);
  else if (pathname === '/chat' && incoming.method === 'GET') sendPage(pathname, outgoing);
  else if (pathname.startsWith('/chat') && !pathname.endsWith('.js'))
    answerChat(incoming, outgoing).catch(() => outgoing.destroy());
  else sendPage(pathname, outgoing);
}).listen(Number(port), '127.0.0.1', () => console.log(`listening on ${port}`));
