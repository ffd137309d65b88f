import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { Message } from '../../contracts/messages/message.ts';
import { SmallMap } from '../../base/collections/small-map.ts';

const OUTSIDE = 'outside';

/** Numbers messages per sender; those from outside the run share one sequence. */
export class Numbering {
  readonly #counts = new SmallMap<string, number>();

  /** Id of a sender's next message. */
  idFor(path: string): string {
    return `${path}#${this.#count(path)}`;
  }

  /** Copies a message from outside without the fields that only the runtime may set. */
  fromOutside({ from, text, parts, data, kind, priority, expiresAt, origins }: Message): Message {
    const rest = withoutUndefined({ parts, data, kind, priority, expiresAt, origins });
    return { from, text, ...rest, id: `${OUTSIDE}-${this.#count(OUTSIDE)}` };
  }

  /** Registers a recorded message. */
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
