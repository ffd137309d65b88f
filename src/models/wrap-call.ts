import type { ModelCall } from '../contracts/model.ts';

/** The same call, but for what is said of it: whoever stands between a runtime and a model hands all else on. */
export const wrapCall = (
  call: ModelCall,
  { key = call.key, delta = call.delta }: Partial<Pick<ModelCall, 'key' | 'delta'>>,
): ModelCall => ({
  key,
  isWatched: call.isWatched,
  get signal() {
    return call.signal;
  },
  delta,
  ...(call.inLine === undefined ? {} : { inLine: call.inLine }),
});
