import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { LongWait } from '../../contracts/models/long-wait.ts';
import type { BatchRequest } from './batch-service.ts';

/** A call of a model whose request goes into a batch. */
export interface MemberCall {
  /** The key of the call: the same after a crash. */
  readonly key: string;
  readonly body: JsonObject;
  readonly headers: Record<string, string> | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Absent outside a run: then the wait ends with the process. */
  readonly wait: LongWait | undefined;
}

/** The note of a call about the batch that its request is in, or was about to be. */
export interface BatchNote {
  readonly mark: string;
  /** When it was submitted, in ms since 1970. */
  readonly at: number;
  /** Absent until the provider has confirmed it. */
  readonly batch?: string | undefined;
  /** The number of requests in it. */
  readonly requests?: number | undefined;
  /** Its place among them, from 1. */
  readonly line?: number | undefined;
}

/** The holder of a member: one at a time. */
export interface MemberHolder {
  /** The member is settled, or was aborted. */
  left(member: BatchMember): void;
  /** Another one takes it. */
  lose(member: BatchMember): void;
}

/** One call that waits for its result in a batch. Its holder settles it, once; its abort ends it at any time. */
export class BatchMember implements BatchRequest {
  readonly id: string;
  readonly body: JsonObject;
  readonly bytes: number;
  readonly headers: Record<string, string> | undefined;
  readonly clock: Clock;
  readonly wait: LongWait | undefined;
  /** The body of its answer. */
  readonly answer: Promise<JsonObject>;
  holder: MemberHolder | undefined;
  isOver = false;
  readonly #signal: AbortSignal;
  #shown: string | undefined;
  #resolve!: (body: JsonObject) => void;
  #reject!: (reason: unknown) => void;

  constructor({ key, body, headers, signal, clock, wait }: MemberCall) {
    this.id = sha256(key);
    this.body = body;
    this.bytes = new TextEncoder().encode(JSON.stringify(body)).length;
    this.headers = headers;
    this.clock = clock;
    this.wait = wait;
    this.#signal = signal;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // It may fail before anybody awaits it.
    this.answer.catch(() => undefined);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  /** The note that it left before its run was resumed. */
  get noted(): BatchNote | undefined {
    return readNote(this.wait?.noteOf(this.id));
  }

  /** Puts a note on record; resolves when it is committed, or at once where nothing is. */
  async note({ mark, at, batch, requests, line }: BatchNote): Promise<void> {
    const known = { batch, requests, line };
    const given = Object.entries(known).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    );
    await this.wait?.note(this.id, { mark, at, ...Object.fromEntries(given) });
  }

  /** Publishes what it waits for, once for the same words, and when that is looked at again. */
  shows(reason: string, dueAt: number): void {
    this.wait?.shows(reason === this.#shown ? undefined : reason, dueAt);
    this.#shown = reason;
  }

  succeed(body: JsonObject): void {
    if (this.#end()) this.#resolve(body);
  }

  fail(reason: unknown): void {
    if (this.#end()) this.#reject(reason);
  }

  readonly #onAbort = (): void => {
    this.fail(this.#signal.reason);
  };

  /** Checks whether it was still open. */
  #end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.holder?.left(this);
    return true;
  }
}

const readNote = (note: Json | undefined): BatchNote | undefined => {
  if (!isJsonObject(note)) return undefined;
  const { mark, at, batch, requests, line } = note;
  if (typeof mark !== 'string' || typeof at !== 'number') return undefined;
  return {
    mark,
    at,
    ...(typeof batch === 'string' ? { batch } : {}),
    ...(typeof requests === 'number' ? { requests } : {}),
    ...(typeof line === 'number' ? { line } : {}),
  };
};
