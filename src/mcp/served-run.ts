import type { Json } from '../base/json/json.ts';
import type { Person } from '../contracts/people/person.ts';
import type { RunHandle } from '../contracts/runs/run-handle.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';

/** A question of a run that its caller has to answer. */
export interface Wish {
  readonly question: string;
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
  readonly #wishes: Wish[] = [];
  #isWanted: () => void = () => undefined;

  constructor(agent: AnyAgent, input: Json, options: RunOptions) {
    this.handle = agent.stream(input, { person: this.#person, ...options });
    this.#end = this.handle.result.then((result) => ({ result }));
    // The failure is given to the call that waits for the next thing.
    this.#end.catch(() => undefined);
  }

  /** Resolves with the next question that nobody has dealt with, or the end; rejects if the run failed. */
  async next(): Promise<Progressed> {
    const waiting = this.#wishes.shift();
    if (waiting !== undefined) return { wish: waiting };
    const wished = new Promise<void>((resolve) => {
      this.#isWanted = resolve;
    });
    const ended = await Promise.race([this.#end, wished]);
    return ended ?? this.next();
  }

  get #person(): Person {
    return {
      answer: (question, signal) => this.#wish(question, signal),
      approve: async ({ description, tool, input }, signal) => {
        const said = await this.#wish(
          `May it be done? ${description} (${tool} ${JSON.stringify(input)})`,
          signal,
        );
        return YES.test(said.trim()) ? true : said;
      },
    };
  }

  #wish(question: string, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        signal.removeEventListener('abort', withdraw);
        reject(new Error('nobody answered'));
      };
      const answer = (text: string): void => {
        signal.removeEventListener('abort', withdraw);
        resolve(text);
      };
      const wish: Wish = { question, answer, refuse };
      // Nobody waits for the answer any more: the client is not asked.
      const withdraw = (): void => {
        const place = this.#wishes.indexOf(wish);
        if (place !== -1) this.#wishes.splice(place, 1);
        refuse();
      };
      if (signal.aborted) {
        refuse();
        return;
      }
      signal.addEventListener('abort', withdraw);
      this.#wishes.push(wish);
      this.#isWanted();
    });
  }
}
