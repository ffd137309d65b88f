import type { ModelDelta } from '../../contracts/models/model.ts';
import { SmallMap } from '../../base/collections/small-map.ts';

/** Counts the streamed length of each model call by kind of delta, also without listeners. */
export class DeltaOffsets {
  readonly #offsets = new SmallMap<string, Map<string, number>>();

  /** The offset of a delta among those of its kind; the next one follows it. */
  take(key: string, delta: ModelDelta): number {
    return delta.type === 'progress' ? 0 : this.skip(key, delta, delta.text.length);
  }

  /** The offset of a delta that advances the count by `length`. */
  skip(key: string, delta: ModelDelta, length: number): number {
    const offsets = this.#offsets.get(key) ?? new Map<string, number>();
    this.#offsets.set(key, offsets);
    const kind = delta.type === 'tool-call' ? String(delta.index) : delta.type;
    const offset = offsets.get(kind) ?? 0;
    offsets.set(kind, offset + length);
    return offset;
  }

  /** Forgets a call that is over. */
  end(key: string): void {
    this.#offsets.delete(key);
  }
}
