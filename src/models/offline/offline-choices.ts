import type { Json } from '../../base/json/json.ts';
import { stem } from '../../base/text/stem.ts';
import { plainText } from './offline-evidence.ts';
import { relatedStems } from './offline-synonyms.ts';
import { contentStems, partsOfName, stemSet } from './offline-text.ts';
import type { Material } from './offline-values.ts';

/** An option listed in a prompt, with its description. */
interface Alternative {
  readonly name: string;
  readonly about: string;
}

/**
 * Picks a choice: for an answer the one whose description in the prompt is closest, if it lists them; else the one that
 * the text names by the most words, each once.
 */
export const pickFrom = (choices: readonly Json[], key: string, material: Material): Json | undefined => {
  const { pool, purpose, contexts } = material;
  const listed = purpose === 'answer' ? alternativesFor(key, contexts) : [];
  if (listed.length > 0) {
    const aboutOf = (choice: Json) => listed.find(({ name }) => name === plainText(choice))?.about ?? '';
    return bestAlternative(
      choices.map((choice) => ({ name: choice, about: aboutOf(choice) })),
      material,
    );
  }
  const there = stemSet(pool.text);
  const named = choices
    .map((choice) => ({ choice, words: stemsOf(choice), mark: `${key}=${plainText(choice)}` }))
    .filter(
      ({ words, mark }) => words.length > 0 && !pool.used.has(mark) && words.every((word) => there.has(word)),
    )
    .sort((a, b) => b.words.length - a.words.length)[0];
  if (named !== undefined) pool.used.add(named.mark);
  return named?.choice;
};

const stemsOf = (choice: Json): string[] => partsOfName(plainText(choice)).map((word) => stem(word));

/** Picks the alternative that the prompt lists for a property and whose description is closest; undefined without any. */
export const listedAlternative = (key: string, material: Material): string | undefined =>
  bestAlternative(alternativesFor(key, material.contexts), material);

/** Picks the alternative whose description is closest to the current part; equal ones take turns. */
const bestAlternative = <Name extends Json>(
  alternatives: readonly { readonly name: Name; readonly about: string }[],
  { pool, turn }: Material,
): Name | undefined => {
  const asked = contentStems(pool.text);
  const scores = alternatives.map(({ name, about }) => {
    const words = contentStems(`${plainText(name)} ${about}`);
    const there = new Set(words.flatMap((word) => [word, ...relatedStems(word)]));
    return asked.filter((word) => there.has(word)).length / Math.sqrt(words.length + 4);
  });
  const best = Math.max(...scores);
  const equals = alternatives.filter((_, index) => scores[index] === best);
  return equals[turn % equals.length]?.name;
};

/** Parses the list items `- name: about` that a prompt has under a heading such as "Workers:", for a property `worker`. */
const alternativesFor = (key: string, texts: readonly string[]): Alternative[] => {
  const wanted = partsOfName(key).at(-1);
  if (wanted === undefined) return [];
  const heading = new RegExp(`\\b${wanted}(?:s|es)?\\b[^\\n:]{0,40}:`, 'i');
  for (const text of texts) {
    const lines = text.split('\n');
    for (const [index, line] of lines.entries()) {
      const listed = heading.test(line) ? listFrom(lines, index + 1) : [];
      if (listed.length > 0) return listed;
    }
  }
  return [];
};

/** Parses the list that starts in the first line with any text, at or after the line `from`. */
const listFrom = (lines: readonly string[], from: number): Alternative[] => {
  const found: Alternative[] = [];
  for (let index = from; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.trim() === '') {
      if (found.length > 0) break;
      continue;
    }
    const item = /^\s*(?:[-*•]|\d+[.)])\s(.*)$/.exec(line)?.[1];
    const named = item === undefined ? undefined : alternative(item);
    if (named === undefined) break;
    found.push(named);
  }
  return found;
};

const alternative = (item: string): Alternative | undefined => {
  const found = /^[`"'*]*([\w$][\w$./-]*)[`"'*]*(?:\s*(?:[—–:(]|\s-\s|-\s)(.*))?$/.exec(item.trim());
  return found?.[1] === undefined
    ? undefined
    : { name: found[1], about: (found[2] ?? '').trim().replace(/\)$/, '') };
};
