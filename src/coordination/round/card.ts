/** What is known of somebody who could do a task. */
export type Card = {
  readonly name: string;
  readonly description: string;
  /** What it can do, in words; empty where nobody said. */
  readonly skills: readonly string[];
};
