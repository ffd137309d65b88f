import type { Agent } from '../../contracts/agent.ts';
import type { Critic, Critique, Review } from '../../contracts/critique.ts';
import { messageOf } from '../../contracts/error.ts';
import { briefSchema } from './brief.ts';
import type { Case, Judgement } from './critic.ts';
import type { CitedText, Finding } from './finding.ts';
import { citedTexts, overlaps } from './finding.ts';

/** What needs no model to see: every stretch of the answer cites, and cites only what was found. */
export const citesFindings: Critic = {
  name: 'citations',
  critique: (review) => {
    const { parts, findings } = read(review);
    const bare = parts.find(({ citations, text }) => citations.length === 0 && !saysNotFound(text));
    if (bare !== undefined)
      return revise(
        `No passage is cited for “${bare.text}”. End every sentence with its citation, or leave it out.`,
      );
    const unknown = parts
      .flatMap(({ citations }) => citations)
      .find((citation) => !findings.some((finding) => overlaps(finding.citation, citation)));
    if (unknown === undefined) return { verdict: 'accept' };
    const text = parts.find(({ citations }) => citations.includes(unknown))?.text ?? '';
    return revise(
      `Nobody found a passage at [${unknown}], which is cited for “${text}”. Cite findings only, exactly as given.`,
    );
  },
};

/**
 * What only a reader can see: whether the passages bear out what is said. An agent judges that, as part of the run.
 *
 * Where it cannot judge, the run stops and says so: an answer that nobody checked is not given out as a checked one.
 */
export const isGrounded = (judge: Agent<Case, Judgement>): Critic => ({
  name: 'grounding',
  critique: async (review) => {
    const { answer, parts, findings, question } = read(review);
    const cited = parts.flatMap(({ citations }) => citations);
    const passages = findings.filter(({ citation }) => cited.some((each) => overlaps(each, citation)));
    // That nothing was found rests on no passage.
    if (passages.length === 0) return { verdict: 'accept' };
    return judged(review, judge, { question, answer, passages });
  },
});

const judged = async (review: Review, judge: Agent<Case, Judgement>, given: Case): Promise<Critique> => {
  try {
    const { output, stopReason } = await review.run(judge, given);
    return output ?? stop(stopReason.kind);
  } catch (thrown) {
    return stop(messageOf(thrown));
  }
};

const stop = (why: string): Critique => ({
  verdict: 'stop',
  note: `nobody could check the answer, as its critic came to no judgement: ${why}`,
});

const revise = (note: string): Critique => ({ verdict: 'revise', note });

interface Reviewed {
  readonly question: string;
  readonly answer: string;
  readonly parts: readonly CitedText[];
  readonly findings: readonly Finding[];
}

const read = ({ candidate, input }: Review): Reviewed => {
  const { question, findings } = briefSchema.parse(input);
  const answer = typeof candidate === 'string' ? candidate : JSON.stringify(candidate);
  return { question, answer, parts: citedTexts(answer), findings };
};

/** Whether a text owns up that something was not found, in each of its sentences. */
const saysNotFound = (text: string): boolean =>
  text
    .split(/(?<=[.!?…])\s+/)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .every((sentence) => NOT_FOUND.test(sentence));

const NOT_FOUND =
  /\b(?:could not|cannot|couldn['’]t|can['’]t|did not|was not able to|were not) (?:be )?(?:find|found|answer|answered)\b|\b(?:documents|findings|passages)\b.{0,40}\b(?:do not|don['’]t) (?:say|answer|mention|tell|state|contain|cover)\b/i;
