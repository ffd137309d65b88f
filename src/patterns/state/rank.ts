import { hashOf } from '../../base/hash.ts';
import type { Card } from '../../coordination/round/card.ts';

/** An order of members, the best first, and why it is not to be trusted, if it is not. */
export type Ranking = {
  readonly ranked: readonly { readonly member: string; readonly score: number | null }[];
  readonly degraded: string | null;
};

/** The score of somebody whom the judge said nothing about: neither good nor bad. */
export const UNJUDGED = 0.5;

/** In the order in which they were given, as nothing better is known. */
export const inOrder = (cards: readonly Card[], degraded: string | null = null): Ranking => ({
  ranked: cards.map(({ name }) => ({ member: name, score: null })),
  degraded,
});

/**
 * By scores from 0 to 1, others are none; of equals the one that was given first.
 *
 * A tie at the top, or nobody with a score, is no choice, and the ranking says so.
 */
export const byScores = (
  cards: readonly Card[],
  scores: Readonly<Record<string, number | null>>,
): Ranking => {
  const scored = cards.map(({ name }) => {
    const score = Object.hasOwn(scores, name) ? (scores[name] ?? null) : null;
    const isScore = score !== null && score >= 0 && score <= 1;
    return { member: name, score: isScore ? score : UNJUDGED, isScore };
  });
  if (!scored.some(({ isScore }) => isScore)) return inOrder(cards, 'nobody has a score');
  const ranked = scored.toSorted((a, b) => b.score - a.score).map(({ member, score }) => ({ member, score }));
  const best = ranked.filter(({ score }) => score === ranked[0]?.score);
  const isTie = best.length > 1;
  return {
    ranked,
    degraded: isTie ? `${best.map(({ member }) => `'${member}'`).join(' and ')} are equally good` : null,
  };
};

/** By what looks like chance, and follows from the seed alone. */
export const byChance = (cards: readonly Card[], seed: string): Ranking =>
  inOrder(
    cards
      .map((card) => ({ card, place: hashOf(`${seed}#${card.name}`) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ card }) => card),
  );

/** As somebody else has it; those not named come last, and names that there are not do not count. */
export const byNames = (cards: readonly Card[], names: readonly string[]): Ranking => {
  const known = names.filter((name) => cards.some((card) => card.name === name));
  if (known.length === 0) return inOrder(cards, 'nobody that there is was named');
  const place = ({ name }: Card): number => (known.includes(name) ? known.indexOf(name) : known.length);
  return inOrder(cards.toSorted((a, b) => place(a) - place(b)));
};

/** The assessment of a task before a tier takes it. */
export type Assessment = {
  /** Null: that follows from the complexity. */
  readonly canHandle: boolean | null;
  /** From 0 to 1; null: nobody said. */
  readonly complexity: number | null;
  /** The least tier that may do it, from 1; null: any. */
  readonly requiresTier: number | null;
};

/**
 * The tier that does it, from 1: this one, or a higher one that is to be asked next.
 *
 * A tier that is required is gone to at once, whatever this one says that it can. Where it does not say, it takes what is no more
 * complex than its place among the tiers: of three, the first takes those up to a third.
 */
export const tierFor = (
  { canHandle, complexity, requiresTier }: Assessment,
  tier: number,
  top: number,
): number => {
  if (tier >= top) return top;
  if (requiresTier !== null && requiresTier > tier) return Math.min(top, Math.ceil(requiresTier));
  const clamped = complexity === null ? 0 : Math.min(1, Math.max(0, complexity));
  return (canHandle ?? clamped <= tier / top) ? tier : tier + 1;
};
