import type { VectorIndex } from '../../contracts/conversations/memory.ts';

/**
 * Vectors in memory, searched exactly: each is compared. Those without a direction (all zeros) are never found.
 *
 * Of equally near vectors the one that was added first comes first.
 */
export const exactIndex = (): VectorIndex => {
  const directions = new Map<string, Float32Array>();
  return {
    add: (id, vector) => {
      directions.set(id, directionOf(vector));
      return Promise.resolve();
    },
    remove: (id) => {
      directions.delete(id);
      return Promise.resolve();
    },
    search: (vector, k) => {
      const wanted = directionOf(vector);
      const found = Array.from(directions, ([id, each]) => ({ id, score: cosine(wanted, each) }))
        .filter(({ score }) => !Number.isNaN(score))
        .sort((one, other) => other.score - one.score);
      return Promise.resolve(found.slice(0, Math.max(0, k)));
    },
  };
};

/** The vector at length 1; NaN everywhere, if it has no direction. */
const directionOf = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, each) => sum + each * each, 0));
  return vector.map((each) => each / length);
};

const cosine = (one: Float32Array, other: Float32Array): number => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
};
