/**
 * A pseudo-random number from 0 to below 1 derived from a text: machines have no randomness, and a replay has to be deterministic (FNV-1a,
 * 32 bits, with the finalizer of MurmurHash3).
 */
export const hashOf = (text: string): number => finalize(foldText(SEED, text));

/**
 * The {@link hashOf} of the words joined by spaces, without joining them.
 *
 * @example
 * hashOfWords(['a', 'b']) === hashOf('a b') // => true
 */
export const hashOfWords = (words: readonly string[]): number => {
  let hash = SEED;
  for (let index = 0; index < words.length; index += 1) {
    if (index > 0) hash = Math.imul(hash ^ SPACE, SPREAD);
    hash = foldText(hash, words[index] ?? '');
  }
  return finalize(hash);
};

const SEED = 0x81_1c_9d_c5;
const SPREAD = 0x01_00_01_93;
const SPACE = 0x20;

const foldText = (before: number, text: string): number => {
  let hash = before;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), SPREAD);
  return hash;
};

const finalize = (before: number): number => {
  let hash = Math.imul(before ^ (before >>> 16), 0x85_eb_ca_6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2_b2_ae_35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};
