import { isThenable } from '../../../contracts/thenable.ts';

/** Does something when all is written: at once, where the store needs no wait. */
export const afterwards = (writing: void | Promise<void>, go: () => void): void => {
  if (isThenable(writing)) void writing.then(go);
  else go();
};
