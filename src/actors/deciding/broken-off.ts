import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';

/** Turns that ask a model to continue an interrupted answer. */
export const continuationTurns = (partial: string): readonly Turn[] => [
  { role: 'assistant', text: partial },
  { role: 'user', from: 'runtime', text: CONTINUE_NOTE },
];

const CONTINUE_NOTE =
  'Your answer broke off here. Go on from exactly where it stopped: repeat nothing of it, and say nothing about the break.';

/** Joins both parts of an answer. The provider's replay data covers the second part only and is dropped. */
export const joinAnswers = (partial: string, answer: ModelAnswer): ModelAnswer => {
  const { replay: _, ...rest } = answer;
  return { ...rest, text: partial + answer.text };
};

/** The error of an abandoned answer, with its partial text. */
export const withIncomplete = (error: ErrorData, incomplete: string): ErrorData => ({
  ...error,
  details: { ...(isJsonObject(error.details) ? error.details : {}), incomplete },
});
