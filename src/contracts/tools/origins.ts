/** The origin of what was recalled from a memory, beside the origins that its records have. */
export const FROM_MEMORY = 'memory';

/** The origin of what was observed of an environment. */
export const FROM_OBSERVATION = 'observation';

/** Both together, without repetitions: the same list as before where nothing is new. */
export const withOrigins = (known: readonly string[], more: readonly string[]): readonly string[] =>
  more.every((each) => known.includes(each)) ? known : [...new Set([...known, ...more])];

/** True for a list of names. */
export const areOrigins = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
