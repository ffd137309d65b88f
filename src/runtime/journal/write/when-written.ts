import { isThenable } from '../../../base/promises/thenable.ts';

/** Calls `go` when all is written: synchronously, if the store is synchronous. */
export const whenWritten = (writing: void | Promise<void>, go: () => void): void => {
  if (isThenable(writing)) void writing.then(go);
  else go();
};
