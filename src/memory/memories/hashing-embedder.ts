import { optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Embedder } from '../../contracts/conversations/memory.ts';

/** Options of {@link hashingEmbedder}. */
export interface HashingEmbedderOptions {
  /** Default 1,024. */
  readonly dimensions?: number | undefined;
}

/**
 * Embeds texts without a model: words and parts of words, hashed into a vector of length 1.
 *
 * It has no notion of meaning: texts are near each other if they share words or parts of words. It needs no key, no
 * network and no download, and returns the same vector everywhere.
 *
 * @example
 * const memory = vectorMemory({ embedder: hashingEmbedder({ dimensions: 256 }) });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const hashingEmbedder = (options: HashingEmbedderOptions = {}): Embedder => {
  const { dimensions = 1_024 } = check(options);
  return {
    name: `hashing-${dimensions}`,
    dimensions,
    embed: (texts) => texts.map((text) => embedText(text, dimensions)),
  };
};

const check = optionsCheck<HashingEmbedderOptions>(
  { code: 'agent.invalid', owner: 'a hashing embedder' },
  () => ({
    dimensions: optional(wholeNumber(1)),
  }),
);

const embedText = (text: string, dimensions: number): Float32Array => {
  const counts = new Map<string, number>();
  const add = (feature: string, weight: number): void => {
    counts.set(feature, (counts.get(feature) ?? 0) + weight);
  };
  for (const word of wordsOf(text)) {
    add(word, 1);
    // Endings and compounds: "retries" and "retried" share most of their pieces.
    if (word.length > 4 && isSpaced(word)) {
      const framed = `^${word}`;
      for (let at = 0; at + 4 <= framed.length; at += 1) add(`#${framed.slice(at, at + 4)}`, 0.15);
    }
  }
  const vector = new Float32Array(dimensions);
  for (const [feature, count] of counts) {
    const code = hash(feature);
    // Ten repetitions do not weigh ten times as much.
    const weight = feature.startsWith('#') ? Math.min(count, 0.3) : 1 + Math.log(count);
    const at = code % dimensions;
    vector[at] = (vector[at] ?? 0) + (code & 0x8000_0000 ? -weight : weight);
  }
  return unit(vector);
};

const unit = (vector: Float32Array): Float32Array => {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) ** 2;
  // A text without words is equally distant from all others.
  if (sum === 0) vector[0] = 1;
  else for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / Math.sqrt(sum);
  return vector;
};

const wordsOf = (text: string): string[] =>
  (text.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').match(/[\p{L}\p{N}]+/gu) ?? []).flatMap((found) => {
    const word = found.toLowerCase();
    if (COMMON.has(word)) return [];
    if (isSpaced(word)) return [word.length > 3 ? word.replace(/(?:ing|ed|es|s)$/, '') : word];
    // Scripts without blanks: pairs of characters.
    return word.length < 2
      ? [word]
      : Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
  });

const isSpaced = (word: string): boolean => !/[\u3040-\u30ff\u3400-\u9fff]/.test(word);

const COMMON: ReadonlySet<string> = new Set(
  (
    'a about an and any are as at be been but by can could did do does for from had has have how i if in into is it its ' +
    'may me my no not of on one or our out so such than that the their them then there these they this those to up ' +
    'was we were what when where which who whom why will with would you your'
  ).split(' '),
);

/** FNV-1a, mixed once more so that its low bits are as good as its high ones. */
const hash = (text: string): number => {
  let value = 2_166_136_261;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 16_777_619);
  value = Math.imul(value ^ (value >>> 16), 0x85eb_ca6b);
  return (value ^ (value >>> 13)) >>> 0;
};
