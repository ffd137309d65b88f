import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Makes V8 collect garbage: all of it, or only the young. */
export const collector = (): ((options?: { readonly type: 'minor' }) => void) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('garbage cannot be collected');
  return (options) => void Reflect.apply(collect, undefined, options === undefined ? [] : [options]);
};
