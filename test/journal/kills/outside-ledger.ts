import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { callInKey } from '../../../src/actors/acting/call-key.ts';
import type { Json } from '../../../src/base/json/json.ts';

/** What comes in at the counter. */
export interface LedgerRequest {
  readonly wish: 'call' | 'began' | 'became';
  readonly key: string;
  readonly name?: string;
  readonly input?: Json;
  /** Who asks twice under one key is given the same again, and nothing is done. */
  readonly isIdempotent?: boolean;
}

/** What was done under a key. */
export interface Entry {
  readonly name: string;
  readonly isIdempotent: boolean;
  begun: number;
  ended: number;
  value: Json;
}

/** Does what a tool does, in this process; its own desk decides what that is. */
export type Work = (name: string, input: Json, key: string) => Json;

/** Tools that live in another process than the runs which call them, and the book that is kept of what they did. */
export class OutsideLedger {
  readonly entries = new Map<string, Entry>();
  readonly #work: Work;
  readonly #server: Server;

  constructor(work: Work) {
    this.#work = work;
    this.#server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece: Buffer) => (text += piece.toString()));
      request.on('end', () => {
        // Only the child of this very test asks.
        try {
          response.end(JSON.stringify(this.#answer(JSON.parse(text) as LedgerRequest)));
        } catch (error) {
          response.statusCode = 500;
          response.end(String(error));
        }
      });
    });
    // A machine with much to do may leave a line idle for long: closing it would fail the next call.
    this.#server.keepAliveTimeout = 0;
  }

  /** Opens it; gives its port. */
  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer({ wish, key, name = '', input = null, isIdempotent = false }: LedgerRequest): Json {
    // A person knows a call, not its key.
    if (wish === 'began') return [...this.entries.keys()].some((each) => callInKey(each) === key);
    const known = this.entries.get(key);
    if (wish === 'became') return known === undefined ? null : { value: known.value };
    if (known !== undefined && isIdempotent) return { value: known.value };
    const entry: Entry = known ?? { name, isIdempotent, begun: 0, ended: 0, value: null };
    this.entries.set(key, entry);
    entry.begun += 1;
    entry.value = this.#work(name, input, key);
    entry.ended += 1;
    return { value: entry.value };
  }
}
