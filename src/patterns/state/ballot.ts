import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import { messageLines } from '../../coordination/round/reply-text.ts';
import { textOf } from '../../coordination/round/said-json.ts';
import type { Vote, VoteTally } from './votes.ts';
import { ABSTAIN, tallyText, votesText, YES_NO } from './votes.ts';

/** The schema of a vote: one that is none of the choices is an abstention. */
export const voteSchema = (choices: readonly string[]): z.ZodType =>
  z.object({
    vote: z.enum([...choices, ABSTAIN]).catch(ABSTAIN),
    confidence: z.number().catch(0.5).describe('From 0 to 1: how sure you are.'),
    reason: z.string().catch('').describe('Why, in a sentence or two.'),
    perspective: z.string().catch('').describe('From where you look at it: cost, safety, users …'),
  });

/** The question that is put to the vote. */
export interface Ballot {
  readonly input: Json;
  readonly choices: readonly string[];
  readonly round: number;
  /** The votes of the round before; none in the first. */
  readonly votes: readonly Vote[];
  readonly tally: VoteTally | null;
  readonly inbox: readonly Message[];
}

/** The text that a voter is asked. */
export const ballotText = ({ input, choices, round, votes, tally, inbox }: Ballot): string => {
  const isMotion = choices.join() === YES_NO.join();
  const words = [...choices, ABSTAIN].map((choice) => JSON.stringify(choice)).join(' | ');
  return [
    `${isMotion ? 'Motion' : 'Question'}: ${textOf(input)}`,
    ...(isMotion ? [] : [`Choices:\n${choices.map((choice) => `- ${choice}`).join('\n')}`]),
    ...(tally === null
      ? []
      : [`Round ${round}. The round before did not decide it: ${tallyText(tally)}.\n${votesText(votes)}`]),
    ...messageLines(inbox),
    `Vote by JSON: {"vote": ${words}, "confidence": 0 to 1, "reason": "why", "perspective": "from where you look at it"}; or by the word alone.`,
  ].join('\n\n');
};
