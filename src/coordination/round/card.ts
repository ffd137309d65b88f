/** A candidate for a task, as the choice knows it. */
export type Card = {
  readonly name: string;
  readonly description: string;
  /** Its skills in words; empty where none were given. */
  readonly skills: readonly string[];
};
