/** Checks whether `value` has to be waited for; also true for promises of other realms and home-made ones. */
export const isThenable = <T>(value: T | PromiseLike<T>): value is PromiseLike<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Applies `next` to a value, synchronously unless it is a promise. */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  isThenable(value) ? Promise.resolve(value).then(next) : next(value);

/** Marks an abandoned promise as handled, so that its rejection is not reported. */
export const letGo = (given: unknown): void => {
  if (isThenable(given)) Promise.resolve(given).catch(() => undefined);
};
