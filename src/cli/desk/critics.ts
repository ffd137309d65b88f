import { agentCritic } from '../../actors/critics/agent-critic.ts';
import { saysNotFound } from '../../actors/critics/says-not-found.ts';
import type { Agent } from '../../contracts/agents/agent.ts';
import type { Critic, Review } from '../../contracts/agents/critic.ts';
import type { Critique } from '../../contracts/agents/critique.ts';
import { briefSchema } from './brief.ts';
import type { Case, Judgement } from './critic.ts';
import type { CitedText, Finding } from './finding.ts';
import { citedTexts, overlaps } from './finding.ts';

/** Checks that need no model: every part of the answer has citations, and only of findings. */
export const citesFindings: Critic = {
  name: 'citations',
  critique: (review) => {
    const { parts, findings } = readReview(review);
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
 * Checks that need a reader: whether the passages support the statements. An agent judges that, as part of the run.
 *
 * If it cannot judge, the run stops and says so: an unchecked answer is not presented as a checked one.
 */
export const isGrounded = (judge: Agent<Case, Judgement>): Critic =>
  agentCritic({
    name: 'grounding',
    judge,
    material: (review) => {
      const { answer, parts, findings, question } = readReview(review);
      const cited = parts.flatMap(({ citations }) => citations);
      const passages = findings.filter(({ citation }) => cited.some((each) => overlaps(each, citation)));
      // "Not found" cites no passage.
      return passages.length === 0 ? undefined : { question, answer, passages };
    },
  });

const revise = (note: string): Critique => ({ verdict: 'revise', note });

interface Reviewed {
  readonly question: string;
  readonly answer: string;
  readonly parts: readonly CitedText[];
  readonly findings: readonly Finding[];
}

const readReview = ({ candidate, input }: Review): Reviewed => {
  const { question, findings } = briefSchema.parse(input);
  const answer = typeof candidate === 'string' ? candidate : JSON.stringify(candidate);
  return { question, answer, parts: citedTexts(answer), findings };
};
