import type { Json } from '../../base/json/json.ts';
import type { Message } from '../../contracts/messages/message.ts';
import type { Reply } from './round.ts';

/** The reason that a member did not answer, in words; null if it did. */
export const troubleOf = ({ status, error, stopReason }: Reply): string | null =>
  status === 'completed' ? null : (error?.message ?? reasonText(stopReason));

const reasonText = (reason: Reply['stopReason']): string => {
  if (reason.kind === 'aborted') return `cancelled: ${reason.reason}`;
  if (reason.kind !== 'budget') return reason.kind;
  const { budget, used, limit, path } = reason;
  return `budget: '${path}' has used ${used} of its ${limit} ${budget}`;
};

/** Messages to the team since the last question, as its members read them. */
export const messageLines = (inbox: readonly Message[]): readonly string[] =>
  inbox.map(({ from, text }) => `Message from ${from}: ${text}`);

/** A confidence as models give it: a number from 0 to 1, what is beyond is the end that it is past; 0.5 where there is none. */
export const confidenceOf = (given: Json | undefined): number => {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
  return typeof number === 'number' && Number.isFinite(number) ? Math.min(1, Math.max(0, number)) : 0.5;
};

/** A text that says something; null for any other value. */
export const wordsOf = (given: Json | undefined): string | null =>
  typeof given === 'string' && given.trim() !== '' ? given.trim() : null;
