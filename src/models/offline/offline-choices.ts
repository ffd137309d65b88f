import type { Json } from '../../base/json/json.ts';
import { stem } from '../../base/text/stem.ts';
import { plainText } from './offline-canonical.ts';
import type { Material } from './offline-material.ts';
import { alternativesFor } from './offline-reading.ts';
import { relatedStems } from './offline-synonyms.ts';
import { contentStems, stemSet, wordsOf } from './offline-text.ts';
import { keyWords } from './offline-values.ts';

/**
 * Picks the choice that the text names; of several the one after the property's own cue ("from …", "to …"), else the
 * first.
 */
export const pickFrom = (choices: readonly Json[], key: string, material: Material): Json | undefined => {
  const { pool } = material;
  const listed = alternativesFor(key, material.contexts);
  const abouts = choices.map((choice) => listed.find(({ name }) => name === plainText(choice))?.about ?? '');
  if (abouts.some((about) => about !== ''))
    return bestAlternative(
      choices.map((choice, index) => ({ name: choice, about: abouts[index] ?? '' })),
      material,
    );
  const named = choices.flatMap((choice) => {
    const at = mentionOf(plainText(choice), pool.text, key);
    return at === undefined || pool.used.has(`${key}=${plainText(choice)}`) ? [] : [{ choice, ...at }];
  });
  named.sort((a, b) => Number(b.isCued) - Number(a.isCued) || b.length - a.length || a.at - b.at);
  const [best] = named;
  if (best !== undefined) {
    pool.used.add(`${key}=${plainText(best.choice)}`);
    return best.choice;
  }
  // A list of names without descriptions is turned through.
  return material.purpose === 'answer' && listed.length > 0
    ? choices[material.turn % choices.length]
    : undefined;
};

const mentionOf = (
  choice: string,
  text: string,
  key: string,
): { at: number; length: number; isCued: boolean } | undefined => {
  const words = wordsOf(choice.replace(/[-.]/g, ' '));
  if (words.length === 0) return undefined;
  const phrase = choice
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s_-]+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[\\s_-]?');
  const cue = keyWords(key)
    .filter((word) => /^(?:from|to|in|into|as)$/.test(word))
    .join('|');
  const cued =
    cue === '' ? null : new RegExp(`\\b(?:${cue})\\s+(?:the\\s+)?(${phrase})(?!\\w)`, 'i').exec(text);
  if (cued !== null) return { at: cued.index, length: choice.length, isCued: true };
  const exact = new RegExp(`(?<!\\w)${phrase}(?:s|es)?(?!\\w)`, 'i').exec(text);
  if (exact !== null) return { at: exact.index, length: choice.length, isCued: false };
  const there = stemSet(text);
  const stems = words.map((word) => stem(word));
  if (stems.every((word) => word.length > 2 && there.has(word)))
    return { at: text.length, length: choice.length, isCued: false };
  return stems.every((word) => relatedStems(word).some((other) => there.has(other)))
    ? { at: text.length, length: 0, isCued: false }
    : undefined;
};

/** Picks the alternative whose description is closest to the current part; equal ones take turns. */
export const bestAlternative = <Name extends Json>(
  alternatives: readonly { readonly name: Name; readonly about: string }[],
  material: Material,
): Name | undefined => {
  const asked = contentStems(material.pool.text);
  const scores = alternatives.map(({ name, about }) => {
    const words = contentStems(`${plainText(name)} ${about}`);
    const there = new Set(words.flatMap((word) => [word, ...relatedStems(word)]));
    return asked.filter((word) => there.has(word)).length / Math.sqrt(words.length + 4);
  });
  const best = Math.max(...scores);
  const equals = alternatives.filter((_, index) => scores[index] === best);
  return equals[material.turn % equals.length]?.name;
};
