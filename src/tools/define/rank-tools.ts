import { isJsonObject } from '../../base/json/json.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';
import { toTerm, tokenize } from '../built-in/documents/words.ts';

/** A word of a name says more of a tool than one of its description, and that more than one of its parameters. */
const WEIGHTS = [3, 2, 1];

/** The share of its weight that a word counts which is only the beginning of a tool's word. */
const PREFIX = 0.4;

/** The k1 of BM25: the smaller, the sooner a repeated word counts no more. */
const SATURATION = 1.2;

/** The b of BM25: the larger, the less a word of a long text counts. */
const LENGTH = 0.7;

type Search = (query: string) => readonly ToolSpec[];

/**
 * Returns a search by words over names, descriptions and parameters: the tool of that very name first, then the best; those of equal rank in their order.
 *
 * Ranks by BM25F (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, section 3.6): a few hundred tools need no index.
 *
 * @example
 * rankTools(specs)('old maps')[0]?.name // => 'archive.search_maps'
 */
export const rankTools = (specs: readonly ToolSpec[]): Search => {
  const texts = weightedWords(specs);
  return (query) => {
    const scores = specs.map(() => 0);
    for (const wanted of new Set(termsOf(query))) {
      const counts = texts.map((words) => countOf(wanted, words));
      const having = counts.filter((count) => count > 0).length;
      const rarity = Math.log(1 + (specs.length - having + 0.5) / (having + 0.5));
      for (const [index, count] of counts.entries())
        scores[index] = (scores[index] ?? 0) + (rarity * count * (1 + SATURATION)) / (count + SATURATION);
    }
    const ranked = specs
      .map((spec, index) => ({ spec, score: spec.name === query ? Infinity : (scores[index] ?? 0) }))
      .filter(({ score }) => score > 0)
      .toSorted((a, b) => (a.score === b.score ? 0 : b.score - a.score));
    return ranked.map(({ spec }) => spec);
  };
};

const termsOf = (text: string): readonly string[] => tokenize(text).flatMap((token) => toTerm(token) ?? []);

/** The words of each tool, with what they count by their places and the length of the text. */
const weightedWords = (specs: readonly ToolSpec[]): readonly ReadonlyMap<string, number>[] => {
  const texts = specs.map(({ name, description, parameters }) =>
    [name, description, wordsOfParameters(parameters['properties'])].map(termsOf),
  );
  const usual = WEIGHTS.map(
    (_, place) => texts.reduce((sum, text) => sum + (text[place]?.length ?? 0), 0) / texts.length,
  );
  return texts.map((text) => {
    const words = new Map<string, number>();
    for (const [place, terms] of text.entries()) {
      const length = terms.length / (usual[place] ?? 1);
      const weight = (WEIGHTS[place] ?? 0) / (1 - LENGTH + LENGTH * length);
      for (const word of terms) words.set(word, (words.get(word) ?? 0) + weight);
    }
    return words;
  });
};

const countOf = (wanted: string, words: ReadonlyMap<string, number>): number => {
  let count = 0;
  for (const [word, weight] of words)
    if (word === wanted) count += weight;
    else if (word.startsWith(wanted)) count += weight * PREFIX;
  return count;
};

const wordsOfParameters = (properties: unknown): string =>
  isJsonObject(properties)
    ? Object.entries(properties)
        .map(([name, schema]) => {
          const about = isJsonObject(schema) ? schema['description'] : undefined;
          return typeof about === 'string' ? `${name} ${about}` : name;
        })
        .join(' ')
    : '';
