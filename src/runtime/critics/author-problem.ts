import type { RuntimeEvent } from '../../contracts/events/event.ts';

/** The reason why judges may not judge an answer that they wrote; undefined if they did not. All are named as `provider:id`. */
export const authorProblem = (authors: readonly string[], judges: readonly string[]): string | undefined => {
  const both = judges.filter((judge) => authors.includes(judge));
  return both.length === 0
    ? undefined
    : `Cannot judge as the judge is an author of the answer: ${both.join(', ')}`;
};

/** The models that answered in a run, each once, as `provider:id`. */
export const modelsIn = (events: readonly RuntimeEvent[]): readonly string[] => [
  ...new Set(events.flatMap((event) => (event.type === 'model.answered' ? [event.model] : []))),
];
