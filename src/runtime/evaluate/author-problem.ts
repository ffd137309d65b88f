/**
 * Why nobody of these may judge: because they wrote what is judged. Undefined where they did not; all are named as
 * `provider:id`.
 */
export const authorProblem = (authors: readonly string[], judges: readonly string[]): string | undefined => {
  const both = judges.filter((judge) => authors.includes(judge));
  return both.length === 0
    ? undefined
    : `Cannot judge as the judge is an author of the answer: ${both.join(', ')}`;
};
