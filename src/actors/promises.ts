/** Whether a value has to be awaited. Work that is done at once stays synchronous: a step may wait for nothing. */
export const isPromise = <T>(value: T | Promise<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** Goes on with a value when it is there: now, if it is there now. */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  isPromise(value) ? Promise.resolve(value).then(next) : next(value);
