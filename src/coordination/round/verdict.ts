import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { wordsOf } from './reply-text.ts';
import { saidJson } from './said-json.ts';

/** A critic's verdict on a draft. */
export type Verdict = {
  readonly verdict: 'accept' | 'revise';
  /** The problem; of an acceptance, a remark. */
  readonly note: string;
};

const WORDS: readonly (readonly [said: RegExp, verdict: Verdict['verdict']])[] = [
  [/^(?:accept|accepted)$/i, 'accept'],
  [/^(?:revise|reject|rejected)$/i, 'revise'],
];

/** The note to a writer whose critic gave no reason. */
const NO_REASON = 'The critic gave no reason.';

/**
 * A critic's verdict: as data (`{"verdict": "revise", "note": "…"}`), or as the word with the reason after it. Undefined for
 * anything else: what cannot be read is neither a yes nor a no.
 *
 * @example verdictOf('revise: too long') // => { verdict: 'revise', note: 'too long' }
 */
export const verdictOf = (said: Json): Verdict | undefined => {
  const data = saidJson(said);
  if (isJsonObject(data)) return verdict(wordsOf(data['verdict']) ?? '', wordsOf(data['note']) ?? '');
  if (typeof said !== 'string') return undefined;
  const plain = said.replaceAll(/[*_`"']/g, '').trim();
  // A word that a sentence begins with is no verdict: `accept nothing of this`.
  const [, word = '', note = ''] = /^(\w+)(?:\s*$|\s*[.,:;!\n–—]([^]*))/.exec(plain) ?? [];
  return verdict(word, note.trim());
};

const verdict = (word: string, note: string): Verdict | undefined => {
  const found = WORDS.find(([said]) => said.test(word))?.[1];
  if (found === undefined) return undefined;
  return { verdict: found, note: found === 'revise' && note === '' ? NO_REASON : note };
};
