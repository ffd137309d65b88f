import type { Choices } from './choices.ts';
import type { ProcessClock } from './process-clock.ts';
import type { Temper } from './temper.ts';
import { delays } from './temper.ts';

/** A call of a model or a tool whose answer is awaited. */
interface AwaitedCall {
  readonly at: string;
  /** The agent that made it. */
  readonly path: string;
  readonly words: string;
  /** True if code of the agent's own answers it, which may share a state with other code. */
  readonly isOwnCode: boolean;
}

/** Has the calls of models and tools answered when the seed says. Owns what is under way. */
export class Arrivals {
  /** Places at which code of the agents' own was executed, in its order. */
  readonly executed: string[] = [];
  readonly #choices: Choices;
  readonly #temper: Temper;
  readonly #underWay = new Set<AwaitedCall>();
  /** The same as it was before time moved on last. */
  #before: readonly AwaitedCall[] = [];

  constructor({ choices, temper }: { readonly choices: Choices; readonly temper: Temper }) {
    this.#choices = choices;
    this.#temper = temper;
  }

  /** Calls that have not ended, in words. */
  get underWay(): readonly string[] {
    return [...this.#underWay].map(({ words }) => words);
  }

  /** Checks whether an agent, or one below it, had a call under way before time moved on last. */
  wasServed(path: string): boolean {
    return this.#before.some((call) => call.path === path || call.path.startsWith(`${path}/`));
  }

  /** Time moves on. */
  note(): void {
    this.#before = [...this.#underWay];
  }

  /** Forgets what a process that is gone had under way: nobody waits for it. */
  forget(): void {
    this.#underWay.clear();
  }

  /** Does the work of a call when its answer is due; until it has ended, it is under way. */
  async during<Value>(
    call: AwaitedCall,
    { clock, signal }: { readonly clock: ProcessClock; readonly signal: AbortSignal },
    work: () => Promise<Value>,
  ): Promise<Value> {
    this.#underWay.add(call);
    try {
      await this.#arrive(call.at, clock, signal);
      if (call.isOwnCode) this.executed.push(call.at);
      return await work();
    } finally {
      this.#underWay.delete(call);
    }
  }

  /** Resolves when an answer is due; rejects where nobody waits for it any more. */
  #arrive(at: string, clock: ProcessClock, signal: AbortSignal): Promise<void> {
    const afterMs =
      this.#choices.take(at, 'afterMs', (dice) =>
        dice.chance(this.#temper.time) ? dice.pick(delays) : undefined,
      ) ?? 0;
    return new Promise((resolve, reject) => {
      const timer = clock.setTimeout(resolve, signal.aborted ? 0 : afterMs, at);
      signal.addEventListener('abort', () => {
        clock.clearTimeout(timer);
        reject(new Error('Nobody waits for it any more.'));
      });
    });
  }
}
