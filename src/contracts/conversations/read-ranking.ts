import { TroupeError } from '../errors/error.ts';
import { foundText } from '../errors/found-text.ts';

/**
 * Reads the order that a reranker returned for a number of texts: indexes of theirs, each at most once.
 *
 * @example
 * readRanking([2, 0], 'mine', 3); // [2, 0]
 *
 * @throws {TroupeError} `model.malformed`, which says what came and what to do.
 */
export const readRanking = (given: unknown, name: string, texts: number): readonly number[] => {
  const malformed = (found: string): TroupeError =>
    new TroupeError('model.malformed', `Cannot use the ranking of ${name} as ${found}`, {
      retryable: 'maybe',
    });
  if (!Array.isArray(given))
    throw malformed(`it is not a list: found ${foundText(given)}, return indexes of the texts, best first`);
  const ranking: number[] = [];
  for (const at of given as readonly unknown[]) {
    if (typeof at !== 'number' || !Number.isInteger(at) || at < 0 || at >= texts)
      throw malformed(`it has ${foundText(at)}: return indexes of ${texts} texts, from 0`);
    if (ranking.includes(at)) throw malformed(`it has ${at} twice: return each index once`);
    ranking.push(at);
  }
  return ranking;
};
