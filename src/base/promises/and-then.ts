import { isThenable } from './thenable.ts';

/** Applies `next` to a value, synchronously unless it is a promise. */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  isThenable(value) ? Promise.resolve(value).then(next) : next(value);
