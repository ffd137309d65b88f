/** Checks whether `value` has to be waited for; also true for promises of other realms and home-made ones. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
