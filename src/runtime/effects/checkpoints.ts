import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import type { Arrival } from '../../contracts/journals/journal-record.ts';

/** The last value that a call committed to continue from. */
type Checkpoint = Omit<Extract<Arrival, { type: 'checkpointed' }>, 'type'>;

/** The checkpoints of the calls of a run, by the keys of the calls. */
export class Checkpoints {
  readonly #last = new Map<string, Checkpoint>();

  get isEmpty(): boolean {
    return this.#last.size === 0;
  }

  at(key: string): Checkpoint | undefined {
    return this.#last.get(key);
  }

  /** Applies a checkpoint, as it is made or from the record. */
  note({ key, value, asked }: Checkpoint): void {
    this.#last.set(key, { key, value, asked });
  }

  /** Checks whether a value is the last one of its call. */
  has(key: string, value: Json): boolean {
    const last = this.#last.get(key);
    return last !== undefined && canonical(last.value) === canonical(value);
  }
}
