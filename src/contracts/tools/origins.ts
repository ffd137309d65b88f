/** The origins of what an actor has read. They only grow. */
export interface Origins {
  readonly names: readonly string[];
  add(more: readonly string[] | undefined): void;
  /** Adds those of an answer to an effect: a tool's result, what was observed and recalled, and those that it is marked with. */
  hear(answer: { readonly type: string; readonly output?: unknown }): void;
  /** Adds those of a conversation that it continues. */
  addTurns(turns: readonly unknown[] | undefined): void;
  /** A value with the names, unless they are those from `before`. */
  mark<Value>(value: Value, before?: readonly string[]): Value;
  /** The turns of its run, of which the last that an agent wrote has its names: the next run reads of them there. */
  markTurns<Said extends { readonly role: string }>(turns: readonly Said[]): readonly Said[];
}

/** Makes the origins of an actor, which begin with those of the one that engaged it. */
export type OriginKeeper = (before: Origins | undefined) => Origins;

/** Both together, without repetitions: the same list as before where nothing is new. */
export const withOrigins = (known: readonly string[], more: readonly string[]): readonly string[] =>
  more.every((each) => known.includes(each)) ? known : [...new Set([...known, ...more])];

/** True for a list of names. */
export const areOrigins = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
