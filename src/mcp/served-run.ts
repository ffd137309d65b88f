import type { Json } from '../base/json/json.ts';
import { memoryBlobs } from '../contracts/content/blob-store.ts';
import type { Person } from '../contracts/people/person.ts';
import type { JournalStore } from '../contracts/journals/journal.ts';
import type { RunHandle } from '../contracts/runs/run-handle.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { RunContent } from '../runtime/content/run-content.ts';
import { resumeWith } from '../runtime/journal/resume/resume.ts';
import type { BytesOf } from './call-result.ts';

/** A question of a run that its caller has to answer. */
export interface Wish {
  /** The id of its request, where it is known. */
  readonly id?: string | undefined;
  readonly question: string;
  /** Aborted once nobody waits for an answer any more. */
  readonly signal: AbortSignal;
  answer(text: string): void;
  /** Nobody answers it: the call fails, or is denied. */
  refuse(): void;
}

/** The next thing of interest in a run: its end, or a question. */
export type Progressed = { readonly result: RunResult<unknown, unknown> } | { readonly wish: Wish };

/** A plain yes: anything more, such as "yes, but not today", is the reason of a no. */
const YES = /^(y|yes|true|ok)\.?$/i;

/** A run that a client started, and may continue by answering what it asks. */
export class ServedRun {
  readonly handle: RunHandle<unknown, unknown>;
  readonly #end: Promise<Progressed>;
  readonly #wishes: Wishes;

  /** Reads the bytes of media of the run. Rejects with `content.missing`. */
  readonly bytesOf: BytesOf;

  private constructor(handle: RunHandle<unknown, unknown>, wishes: Wishes, options: RunOptions) {
    this.handle = handle;
    const content = new RunContent(options);
    this.bytesOf = (part) => content.bytesOf(part);
    this.#wishes = wishes;
    this.#end = handle.result.then((result) => ({ result }));
    // The failure is given to the call that waits for the next thing.
    this.#end.catch(() => undefined);
  }

  static begin(agent: AnyAgent, input: Json, given: RunOptions): ServedRun {
    const wishes = new Wishes();
    const options = withBlobs(given);
    return new ServedRun(agent.stream(input, { person: wishes.person, ...options }), wishes, options);
  }

  /** Resumes a run of an earlier process, or has its result. */
  static async resume(
    agent: AnyAgent,
    runId: string,
    options: RunOptions & { readonly store: JournalStore },
  ): Promise<ServedRun> {
    const wishes = new Wishes();
    const handle = await resumeWith(agent, runId, { person: wishes.person, ...options });
    return new ServedRun(handle, wishes, options);
  }

  /** Resolves once the run is on record, if it has a store; rejects if that failed. */
  async begun(): Promise<void> {
    // Nothing is published before it is written.
    let stop = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      const following = this.handle.events$.subscribe(() => {
        resolve();
      });
      stop = () => {
        following.unsubscribe();
      };
    });
    await Promise.race([first, this.#end]).finally(stop);
  }

  /** Resolves with the next question that nobody has dealt with, or the end; rejects if the run failed. */
  async next(): Promise<Progressed> {
    const waiting = this.#wishes.shift();
    if (waiting !== undefined) return { wish: waiting };
    const ended = await Promise.race([this.#end, this.#wishes.awaitNext()]);
    return ended ?? this.next();
  }
}

/** Gives a run whose bytes would end with it a place for them, from which its result is read. */
const withBlobs = (options: RunOptions): RunOptions => {
  const { content, store, threads } = options;
  const place = content?.blobs ?? store ?? threads;
  return place === undefined ? { ...options, content: { ...content, blobs: memoryBlobs() } } : options;
};

/** The questions of a run that wait for its client, as a person of the run. */
class Wishes {
  readonly #waiting: Wish[] = [];
  #isWanted: () => void = () => undefined;

  shift(): Wish | undefined {
    return this.#waiting.shift();
  }

  awaitNext(): Promise<void> {
    return new Promise((resolve) => {
      this.#isWanted = resolve;
    });
  }

  get person(): Person {
    return {
      answer: (question, signal) => this.#wish(question, signal),
      approve: async ({ id, description, tool, input }, signal) => {
        const said = await this.#wish(
          `May it be done? ${description} (${tool} ${JSON.stringify(input)})`,
          signal,
          id,
        );
        return YES.test(said.trim()) ? true : said;
      },
    };
  }

  #wish(question: string, signal: AbortSignal, id?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        signal.removeEventListener('abort', withdraw);
        reject(new Error('nobody answered'));
      };
      const answer = (text: string): void => {
        signal.removeEventListener('abort', withdraw);
        resolve(text);
      };
      const wish: Wish = { id, question, signal, answer, refuse };
      // Nobody waits for the answer any more: the client is not asked.
      const withdraw = (): void => {
        const place = this.#waiting.indexOf(wish);
        if (place !== -1) this.#waiting.splice(place, 1);
        refuse();
      };
      if (signal.aborted) {
        refuse();
        return;
      }
      signal.addEventListener('abort', withdraw);
      this.#waiting.push(wish);
      this.#isWanted();
    });
  }
}
