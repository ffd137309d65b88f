import type { ErrorData } from '../contracts/error.ts';
import { isJsonObject } from '../contracts/json.ts';
import type { ModelAnswer } from '../contracts/model.ts';
import type { Turn } from '../contracts/transcript.ts';

/** What a model is told when it goes on with an answer that broke off. */
export const goingOn = (partial: string): readonly Turn[] => [
  { role: 'assistant', text: partial },
  { role: 'user', from: 'runtime', text: GO_ON_NOTE },
];

const GO_ON_NOTE =
  'Your answer broke off here. Go on from exactly where it stopped: repeat nothing of it, and say nothing about the break.';

/** Both parts as one answer. What the provider wants echoed knows only the second, and is left out. */
export const joined = (partial: string, answer: ModelAnswer): ModelAnswer => {
  const { replay: _, ...rest } = answer;
  return { ...rest, text: partial + answer.text };
};

/** The error that gives up an answer, with what there was of it. */
export const withIncomplete = (error: ErrorData, incomplete: string): ErrorData => ({
  ...error,
  details: { ...(isJsonObject(error.details) ? error.details : {}), incomplete },
});
