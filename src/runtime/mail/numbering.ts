import type { Message } from '../../contracts/message.ts';
import { SmallMap } from '../../contracts/small-map.ts';

const OUTSIDE = 'outside';

/** Numbers messages by their senders, those from outside the run together. */
export class Numbering {
  readonly #counts = new SmallMap<string, number>();

  /** The id of the next message of a sender. */
  idFor(path: string): string {
    return `${path}#${this.#count(path)}`;
  }

  /** A message from outside, as it is in the run: what only the runtime may say of it is not taken from whoever sends it. */
  fromOutside({ from, text, data, kind, priority, expiresAt }: Message): Message {
    const rest = {
      ...(data === undefined ? {} : { data }),
      ...(kind === undefined ? {} : { kind }),
      ...(priority === undefined ? {} : { priority }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    return { from, text, ...rest, id: `${OUTSIDE}-${this.#count(OUTSIDE)}` };
  }

  /** Takes down a message that is on record. */
  note({ id = '' }: Message): void {
    const [, count] = /^outside-(\d+)$/.exec(id) ?? [];
    if (count !== undefined)
      this.#counts.set(OUTSIDE, Math.max(Number(count), this.#counts.get(OUTSIDE) ?? 0));
  }

  #count(who: string): number {
    const count = (this.#counts.get(who) ?? 0) + 1;
    this.#counts.set(who, count);
    return count;
  }
}
