import { foundText } from '../errors/found-text.ts';
import { TroupeError } from '../errors/error.ts';
import type { Embedder } from './memory.ts';

/**
 * Reads the vectors that an embedder returned for a number of texts: one for each, of its length, of finite numbers.
 *
 * @example
 * readVectors([[1, 0]], { name: 'mine', dimensions: 2 }, 1); // [Float32Array [1, 0]]
 *
 * @throws {TroupeError} `model.malformed`, which says what came and what to do.
 */
export const readVectors = (
  given: unknown,
  { name, dimensions }: Pick<Embedder, 'name' | 'dimensions'>,
  texts: number,
): readonly Float32Array[] => {
  const malformed = (found: string): TroupeError =>
    new TroupeError('model.malformed', `Cannot use the embeddings of ${name} as ${found}`, {
      retryable: 'maybe',
    });
  if (!isList(given))
    throw malformed(`they are not a list: found ${foundText(given)}, return one vector for each text`);
  const vectors = given.map((each) => (each instanceof Float32Array ? each : Float32Array.from(each ?? [])));
  const lengths = [...new Set(vectors.map(({ length }) => length))];
  const [length = dimensions, ...others] = lengths;
  const came = `${texts} of length ${dimensions} were requested, but ${vectors.length} of length ${lengths.join(', ') || 'none'} came`;
  if (vectors.length !== texts) throw malformed(`${came}: return one for each text, in their order`);
  if (others.length > 0) throw malformed(`${came}: return vectors of one length`);
  if (length !== dimensions) throw malformed(`${came}: set its \`dimensions\` to ${length}`);
  for (const [index, vector] of vectors.entries()) {
    const at = vector.findIndex((value) => !Number.isFinite(value));
    if (at >= 0)
      throw malformed(
        `vector ${index + 1} of ${texts} has ${vector[at]} at position ${at}: return finite numbers`,
      );
  }
  return vectors;
};

/** Its items are only believed to be vectors: any other becomes one of another length, or of no numbers. */
const isList = (given: unknown): given is readonly (ArrayLike<number> | undefined)[] => Array.isArray(given);
