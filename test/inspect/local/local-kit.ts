import type { JournalStore } from '../../../src/contracts/journals/journal.ts';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import type { OpenRequest } from '../../../src/contracts/people/request.ts';
import type { Entry } from '../../../src/inspect/recording/entry.ts';
import type { Pack } from '../../../src/inspect/recording/packs/pack.ts';
import { unpack } from '../../../src/inspect/recording/packs/unpack.ts';
import type { TableauData } from '../../../src/inspect/recording/tableau.ts';
import { Tableau } from '../../../src/inspect/recording/tableau.ts';
import type { Inspector, InspectOptions } from '../../../src/inspect/local/inspect.ts';
import { inspect } from '../../../src/inspect/local/inspect.ts';

/** A page of no page: what the server does with it is all that matters. */
export const PAGE = '<!doctype html><script nonce="__NONCE__">1</script><style nonce="__NONCE__"></style>';

/** An inspector that is closed after the test. */
export const openInspector = async (options: InspectOptions = {}): Promise<Inspector> => {
  const inspector = await inspect({ page: PAGE, alone: true, ...options });
  onTestFinished(() => inspector.close());
  return inspector;
};

/** Where an inspector is. */
type Address = Pick<Inspector, 'url' | 'token'>;

export const portOf = ({ url }: Pick<Inspector, 'url'>): number => Number(new URL(url).port);

/** What came back. */
export interface Answered {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

const bearer = ({ token }: Address) => ({ authorization: `Bearer ${token}` });

/** Asks a server something, with whatever headers. */
export const ask = (port: number, path: string, { method = 'GET', headers, body }: Asking = {}) =>
  new Promise<Answered>((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });

/** Asks an inspector something, with its token. */
export const askOpen = (inspector: Address, path: string, asking: Asking = {}): Promise<Answered> =>
  ask(portOf(inspector), path, { ...asking, headers: { ...bearer(inspector), ...asking.headers } });

/** Has something done to a run; gives what is said of it. */
export const control = async (inspector: Address, command: object) => {
  const { status, text } = await askOpen(inspector, '/api/control', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  });
  return {
    status,
    ...(JSON.parse(text) as { ok?: true; run?: string; error?: { code: string; message: string } }),
  };
};

interface Sent {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** Somebody who looks at a recording, and takes down all that is sent. */
export class Looker {
  readonly sent: Sent[] = [];
  comments = 0;
  isClosed = false;
  readonly #asked: ReturnType<typeof request>;
  #response: IncomingMessage | undefined;
  #rest = '';
  #wake: () => void = () => undefined;

  constructor(
    inspector: Pick<Inspector, 'url' | 'token'>,
    path = '/api/recording',
    headers: OutgoingHttpHeaders = {},
  ) {
    const { hostname: host, port } = new URL(inspector.url);
    const all = { ...bearer(inspector), ...headers };
    this.#asked = request({ host, port, path, headers: all, agent: false }, (response) => {
      this.#response = response;
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        this.#take(part);
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        this.#closed();
      });
    });
    this.#asked.on('error', () => {
      this.#closed();
    });
    this.#asked.end();
    onTestFinished(() => {
      this.close();
    });
  }

  close(): void {
    this.#asked.destroy();
  }

  /** Takes nothing more. */
  stall(): void {
    this.#response?.pause();
  }

  goOn(): void {
    this.#response?.resume();
  }

  get entries(): readonly Entry[] {
    // The recording wrote them.
    return this.data('entry').map((data) => JSON.parse(data) as Entry);
  }

  /** What waits for somebody, as it was said last. */
  get requests(): readonly (OpenRequest & { run: string })[] {
    return JSON.parse(this.data('requests').at(-1) ?? '[]') as (OpenRequest & { run: string })[];
  }

  data(event: string): readonly string[] {
    return this.sent.filter((each) => each.event === event).map(({ data }) => data);
  }

  /** All that it knows by now, as whoever looks has it. */
  get tableau(): string {
    let tableau = new Tableau();
    for (const { event, data } of this.sent)
      if (event === 'base') tableau = Tableau.from(JSON.parse(data) as TableauData);
      else if (event === 'entry') tableau.apply(JSON.parse(data) as Entry);
    return JSON.stringify(tableau);
  }

  /** Waits until it was sent what is looked for. */
  async until(isThere: (looker: this) => boolean): Promise<this> {
    while (!isThere(this)) {
      if (this.isClosed) throw new Error(`the connection was closed after ${this.sent.length} events`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this;
  }

  /** Waits until it was sent all that is recorded by now. */
  untilAll({ recorder }: Inspector): Promise<this> {
    const { length } = recorder.recording;
    // What comes last is looked at first: this is asked each time that something comes.
    return this.until(
      ({ sent }) => Number(sent.findLast(({ id }) => id !== undefined)?.id ?? -1) >= length - 1,
    );
  }

  async untilClosed(): Promise<void> {
    while (!this.isClosed) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  #closed(): void {
    this.isClosed = true;
    this.#wake();
  }

  #take(part: string): void {
    const blocks = (this.#rest + part).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name: string): string | undefined =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      const event = field('event');
      if (event === undefined) this.comments += 1;
      else this.sent.push(...unpacked({ event, id: field('id'), data: field('data') ?? '' }));
    }
    this.#wake();
  }
}

/** A message as it is read: that with a pack as one for each entry, the last of which has the id that was sent. */
const unpacked = (sent: Sent): readonly Sent[] => {
  if (sent.event !== 'entries') return [sent];
  // The recording wrote it.
  const entries = [...unpack(JSON.parse(sent.data) as Pack)];
  expect(String(entries.at(-1)?.n)).toBe(sent.id);
  return entries.map((entry) => ({ event: 'entry', id: String(entry.n), data: JSON.stringify(entry) }));
};

/** A store that is read in another way. */
export const readingBy = (store: JournalStore, read: JournalStore['read']): JournalStore =>
  new Proxy(store, {
    get: (_, name) => {
      const found: unknown = name === 'read' ? read : Reflect.get(store, name);
      return typeof found === 'function' ? (found.bind(store) as unknown) : found;
    },
  });
