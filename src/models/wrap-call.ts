import type { ModelCall } from '../contracts/models/model.ts';

/** Copies a call with some parts replaced; a wrapper around a model passes everything else on. */
export const wrapCall = (
  call: ModelCall,
  {
    key = call.key,
    delta = call.delta,
    signal,
  }: Partial<Pick<ModelCall, 'key' | 'delta'>> & { readonly signal?: (() => AbortSignal) | undefined },
): ModelCall => ({
  key,
  isWatched: call.isWatched,
  get signal() {
    return signal?.() ?? call.signal;
  },
  delta,
  ...(call.inLine === undefined ? {} : { inLine: call.inLine }),
  longWait: call.longWait,
  ...(call.ask === undefined ? {} : { ask: call.ask }),
  ...(call.bytesOf === undefined ? {} : { bytesOf: call.bytesOf }),
  ...(call.context === undefined ? {} : { context: call.context }),
});
