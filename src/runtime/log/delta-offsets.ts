import type { ModelDelta } from '../../contracts/model.ts';
import { SmallMap } from '../../contracts/small-map.ts';

/** Counts how much each model call has said, of each kind by itself, also where nobody listened. */
export class DeltaOffsets {
  readonly #told = new SmallMap<string, Map<string, number>>();

  /** The place of a piece among those of its kind; the next one comes after it. */
  take(key: string, delta: ModelDelta): number {
    return delta.type === 'progress' ? 0 : this.skip(key, delta, delta.text.length);
  }

  /** The place of a piece; the next one comes so much later. */
  skip(key: string, delta: ModelDelta, length: number): number {
    const told = this.#told.get(key) ?? new Map<string, number>();
    this.#told.set(key, told);
    const kind = delta.type === 'tool-call' ? String(delta.index) : delta.type;
    const offset = told.get(kind) ?? 0;
    told.set(kind, offset + length);
    return offset;
  }

  /** Nothing more of this call will come. */
  end(key: string): void {
    this.#told.delete(key);
  }
}
