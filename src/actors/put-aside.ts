import type { MediaPart } from '../contracts/content/part.ts';
import { cutText, isLongerThan } from '../tools/calls/cut-text.ts';
import type { Desk } from './desk.ts';

/** A text as the conversation has it, and the whole of it in the run's blob store. */
export interface CutText {
  readonly text: string;
  readonly whole: MediaPart;
}

/**
 * Cuts a text that is too long for the agent's conversation, and stores the whole of it; undefined for a text that fits.
 *
 * Its name follows from its bytes, so it means the same in every run that continues the conversation.
 */
export const putAside = (text: string, source: string, desk: Desk): CutText | undefined => {
  const limit = desk.definition.maxTextBytes;
  if (!isLongerThan(text, limit)) return undefined;
  const { text: stored, whole } = desk.putAside(text, source);
  desk.emit({
    type: 'text.spilled',
    artifact: whole.name ?? source,
    characters: stored.length,
    hash: whole.hash,
  });
  return { text: cutText(stored, whole.name ?? source, limit), whole };
};
