import type { Critic, Review } from '../../contracts/agents/critic.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import {
  contentStems,
  numbersIn,
  overlap,
  sentencesOf,
  shorten,
  stemSet,
} from '../../models/offline/offline-text.ts';
import { saysNotFound } from './says-not-found.ts';

/** Options of {@link groundingCritic}. */
export interface GroundingOptions {
  /** Texts that sentences have to be based on. Default: results of tools in this run, without failures. */
  readonly sources?: ((review: Review) => readonly string[]) | undefined;
  /** Share of a sentence's content words that one source has to contain, from 0 to 1. Default 0.6. */
  readonly coverage?: number | undefined;
  /** Sentences that need no source. Default: those that say that something was not found. */
  readonly isExempt?: ((sentence: string) => boolean) | undefined;
  /** Default `grounding`. */
  readonly name?: string | undefined;
}

/** Largest number of sentences quoted in a note. */
const MAX_QUOTED = 3;

/**
 * Rejects an answer while one of its sentences is not supported by what tools returned; the note quotes the unsupported ones.
 *
 * It compares words and numbers, at no cost and without a model: one source has to contain every number of a sentence and most of its
 * content words. It does not notice a negation in the same words; `judgeCritic` does.
 *
 * @example
 * agent({ name: 'clerk', tools: [search], critics: [groundingCritic()] })
 *
 * @throws {TroupeError} `agent.invalid` for a coverage that is not from 0 to 1.
 */
export const groundingCritic = ({
  sources = resultsOfTools,
  coverage = 0.6,
  isExempt = saysNotFound,
  name = 'grounding',
}: GroundingOptions = {}): Critic => {
  if (!(coverage >= 0 && coverage <= 1))
    throw new TroupeError(
      'agent.invalid',
      `Cannot check grounding as its coverage is not from 0 to 1: ${foundText(coverage)}`,
    );
  return {
    name,
    critique: (review) => {
      const { candidate } = review;
      if (candidate === undefined) return { verdict: 'accept' };
      const answer = typeof candidate === 'string' ? candidate : JSON.stringify(candidate);
      const grounds = sources(review).map(groundOf);
      const bare = sentencesOf(answer).filter(
        (sentence) =>
          !isExempt(sentence) && !grounds.some((ground) => isSupported(sentence, ground, coverage)),
      );
      const groundless = bare.filter((sentence) => contentStems(withoutCitations(sentence)).length > 0);
      return groundless.length === 0
        ? { verdict: 'accept' }
        : { verdict: 'revise', note: noteOn(groundless) };
    },
  };
};

const resultsOfTools = ({ evidence }: Review): readonly string[] =>
  evidence.filter(({ failed }) => failed !== true).map(({ text }) => text);

interface Ground {
  readonly stems: ReadonlySet<string>;
  readonly numbers: ReadonlySet<number>;
}

const groundOf = (text: string): Ground => ({
  stems: stemSet(text),
  numbers: new Set(numbersIn(text).map(({ value }) => value)),
});

const isSupported = (sentence: string, { stems, numbers }: Ground, coverage: number): boolean => {
  const plain = withoutCitations(sentence);
  return (
    numbersIn(plain).every(({ value }) => numbers.has(value)) &&
    overlap(
      contentStems(plain).filter((word) => !/^\d+$/.test(word)),
      stems,
    ) >= coverage
  );
};

/** `[path:3-9]` is a citation, not part of the statement. */
const withoutCitations = (sentence: string): string =>
  sentence.replace(/\[[^[\]\n]{1,300}:\d+(?:-\d+)?\]/g, '');

const noteOn = (groundless: readonly string[]): string => {
  const quoted = groundless.slice(0, MAX_QUOTED).map((sentence) => `“${shorten(sentence, 300)}”`);
  const more = groundless.length - quoted.length;
  return `Nothing that your tools returned bears out ${quoted.join(', ')}${more > 0 ? ` and ${more} more` : ''}. Keep to what they returned, or leave it out.`;
};
