import type { Json } from '../base/json/json.ts';
import { restoreError } from '../contracts/errors/error.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import type { RemoteEntry, RemoteRequest, RemoteResult } from '../contracts/runs/remote-run.ts';
import type { EventObserver, LocalRun, ReadableRun } from './follow-run.ts';
import type { ReadRunOptions } from './read-run.ts';
import { deliver, readRun } from './read-run.ts';
import type { RemoteServer, Reply } from './remote-server.ts';

/** The place of a fork, and the changes made there; see `fork` of `troupe`. */
export interface RemoteFork {
  readonly at?: { readonly step: number } | { readonly seq: number } | undefined;
  readonly change?:
    | {
        readonly message?: string | undefined;
        readonly text?: string | undefined;
        readonly calls?: readonly { readonly name: string; readonly input: Json }[] | undefined;
      }
    | undefined;
}

/**
 * A run of a server, with the verbs of a handle; `useRun` and `followRun` take it. A verb resolves when the server has done it, or, for a run
 * of another process there, has passed it on.
 *
 * Verbs reject with the error of the server: `run.ended` for a run that is over, `request.unknown` for a request that nobody waits for,
 * `input.invalid` for arguments that do not fit …
 */
export class RemoteRun<Output = Json> implements LocalRun, ReadableRun, AsyncIterable<LiveEvent> {
  readonly runId: string;
  /** The address of its events. */
  readonly url: string;
  /** Its events from the first on, deltas from now on; each subscription reconnects by itself, and completes with the run. */
  readonly events$: LocalRun['events$'];
  readonly #server: RemoteServer;
  readonly #path: string;
  #result: Promise<RemoteResult<Output>> | undefined;

  constructor(server: RemoteServer, runId: string) {
    this.#server = server;
    this.runId = runId;
    this.#path = `/runs/${encodeURIComponent(runId)}`;
    this.url = server.at(`${this.#path}/events`);
    this.events$ = { subscribe: (observer) => this.#subscribe(observer) };
  }

  /** Rejects if the run failed, or the server cannot be reached; limits, critics and aborts resolve with their stop reason. Asked for when read. */
  get result(): Promise<RemoteResult<Output>> {
    return (this.#result ??= this.#awaitResult());
  }

  /** Iterates its events; `break` closes the connection, also while the next one is awaited. */
  [Symbol.asyncIterator](): AsyncGenerator<LiveEvent, void, void> {
    const ending = new AbortController();
    const events = this.#each(ending.signal);
    const end = events.return.bind(events);
    // A generator that awaits an event would end after it only.
    events.return = (value) => {
      ending.abort();
      return end(value);
    };
    return events;
  }

  /** Its events in the chunks in which they arrive, as `readRun` reads them, by the options of its server. */
  read(options: ReadRunOptions = {}): AsyncGenerator<readonly LiveEvent[], void, void> {
    return readRun(this.url, { ...this.#server.options, ...options });
  }

  /** Its status. */
  async status(): Promise<RemoteEntry> {
    // What the server gives is trusted, as its events are.
    return (await this.#ask('')).value as RemoteEntry;
  }

  /** The open requests to people in it, oldest first. */
  async requests(): Promise<readonly RemoteRequest[]> {
    return ((await this.#ask('/requests')).value as { readonly requests: readonly RemoteRequest[] }).requests;
  }

  /** Sends a message to its root, or to the agent at `path`. */
  send(message: string, path?: string): Promise<void> {
    return this.#do('/messages', { message, path });
  }

  /** Approves a call; with `input`, it is made with these arguments, if its tool takes them. The server says who approves. */
  approve(id: string, options: { readonly input?: Json | undefined } = {}): Promise<void> {
    return this.#answer(id, { yes: true, ...options });
  }

  deny(id: string, reason?: string): Promise<void> {
    return this.#answer(id, { yes: false, reason });
  }

  /** Replies to a question. */
  reply(id: string, text: string): Promise<void> {
    return this.#answer(id, { text });
  }

  pause(): Promise<void> {
    return this.#do('/pause');
  }

  resume(): Promise<void> {
    return this.#do('/resume');
  }

  /** Continues by one step or effect; resolves when the run is paused again, or over. */
  async step(unit: 'step' | 'effect' = 'step'): Promise<void> {
    let { status } = await this.#ask('/step', { unit });
    while (status === 202) ({ status } = await this.#ask('/step'));
  }

  abort(reason?: string, options: { readonly after?: 'step' | undefined } = {}): Promise<void> {
    return this.#do('/abort', { reason, ...options });
  }

  /** Starts a run that shares the beginning of this one. */
  async fork(given: RemoteFork = {}): Promise<RemoteRun<Output>> {
    const { value } = await this.#ask('/fork', given);
    return new RemoteRun<Output>(this.#server, (value as { readonly runId: string }).runId);
  }

  async *#each(signal: AbortSignal): AsyncGenerator<LiveEvent, void, void> {
    for await (const events of this.read({ signal })) yield* events;
  }

  #subscribe(observer: EventObserver): { unsubscribe(): void } {
    const ending = new AbortController();
    const { signal } = ending;
    void deliver(() => this.#each(signal), signal, observer);
    return {
      unsubscribe: () => {
        ending.abort();
      },
    };
  }

  async #awaitResult(): Promise<RemoteResult<Output>> {
    for (;;) {
      const { status, value } = await this.#ask('/result');
      if (status === 202) continue;
      // The server has parsed the output by the schema that types it.
      const result = value as RemoteResult<Output>;
      if (result.status === 'failed' && result.error !== undefined) throw restoreError(result.error);
      return result;
    }
  }

  #answer(id: string, answer: object): Promise<void> {
    return this.#do(`/requests/${encodeURIComponent(id)}`, answer);
  }

  async #do(path: string, body: object = {}): Promise<void> {
    await this.#ask(path, body);
  }

  /** Posts what has a body, and reads the rest. */
  #ask(path: string, body?: object): Promise<Reply> {
    return this.#server.ask(`${this.#path}${path}`, { body });
  }
}
