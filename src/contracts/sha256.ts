/**
 * The SHA-256 of a text, in hex. It is here, and no package, because a request to a person is announced in the very turn in which
 * it comes up: nothing can be loaded first, and whoever asks nobody has nothing to load.
 *
 * @example
 * sha256('abc') // => 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 */
export const sha256 = (text: string): string => {
  const bytes = new TextEncoder().encode(text);
  // The text, a one, zeros, and its length in bits, in whole blocks of 64 bytes.
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / 64) * 64));
  bytes.forEach((byte, at) => {
    padded.setUint8(at, byte);
  });
  padded.setUint8(bytes.length, 0x80);
  padded.setBigUint64(padded.byteLength - 8, BigInt(bytes.length) * 8n);
  const { roots, start } = (constants ??= makeConstants());
  const state = Uint32Array.from(start);
  const words = new Uint32Array(64);
  for (let block = 0; block < padded.byteLength; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = padded.getUint32(block + at * 4);
    for (let at = 16; at < 64; at += 1) {
      const [w2, w15, w16, w7] = [
        of(words, at - 2),
        of(words, at - 15),
        of(words, at - 16),
        of(words, at - 7),
      ];
      const small0 = turn(w15, 7) ^ turn(w15, 18) ^ (w15 >>> 3);
      const small1 = turn(w2, 17) ^ turn(w2, 19) ^ (w2 >>> 10);
      words[at] = w16 + small0 + w7 + small1;
    }
    mix(state, words, roots);
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('');
};

const mix = (state: Uint32Array, words: Uint32Array, roots: Uint32Array): void => {
  const now = Uint32Array.from(state);
  for (let at = 0; at < 64; at += 1) {
    const [a, b, c, e, f, g] = [of(now, 0), of(now, 1), of(now, 2), of(now, 4), of(now, 5), of(now, 6)];
    const big1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const first = of(now, 7) + big1 + ((e & f) ^ (~e & g)) + of(roots, at) + of(words, at);
    const big0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const second = big0 + ((a & b) ^ (a & c) ^ (b & c));
    now.copyWithin(1, 0, 7);
    now[4] = of(now, 4) + first;
    now[0] = first + second;
  }
  for (let at = 0; at < 8; at += 1) state[at] = of(state, at) + of(now, at);
};

const of = (words: Uint32Array, at: number): number => words[at] ?? 0;

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

let constants: { readonly roots: Uint32Array; readonly start: Uint32Array } | undefined;

/** The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const makeConstants = () => {
  const primes: number[] = [];
  for (let each = 2; primes.length < 64; each += 1)
    if (primes.every((prime) => each % prime !== 0)) primes.push(each);
  const fraction = (root: number): number => (root - Math.floor(root)) * 2 ** 32;
  return {
    roots: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    start: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
};
