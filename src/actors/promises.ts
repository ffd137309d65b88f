import { isThenable } from '../contracts/thenable.ts';

/** Goes on with a value when it is there: now, if it is there now. Work that is done at once stays synchronous. */
export const andThen = <T, U>(value: T | Promise<T>, next: (value: T) => U | Promise<U>): U | Promise<U> =>
  isThenable(value) ? Promise.resolve(value).then(next) : next(value);
