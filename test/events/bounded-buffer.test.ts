import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BoundedBuffer } from '../../src/base/collections/bounded-buffer.ts';

/** The same with a list, plainly. */
class Model {
  readonly items: number[] = [];
  readonly capacity: number;
  constructor(capacity: number) {
    this.capacity = capacity;
  }
  push(item: number): boolean {
    this.items.push(item);
    const isFull = this.items.length > this.capacity;
    if (isFull) this.items.shift();
    return isFull;
  }
}

test('[R3] it behaves as a list whose oldest item makes room, whatever is done to it', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.array(fc.option(fc.integer())), (capacity, steps) => {
      const buffer = new BoundedBuffer<number>(capacity);
      const model = new Model(capacity);
      for (const step of steps) {
        const found = step === null ? buffer.shift() : buffer.push(step);
        expect(found).toBe(step === null ? model.items.shift() : model.push(step));
        expect([buffer.peek(), buffer.length]).toEqual([model.items[0], model.items.length]);
      }
    }),
  );
});
