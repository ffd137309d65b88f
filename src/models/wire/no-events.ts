import type { WireStream } from './provider-stream.ts';

/** The empty stream of an answer that arrives whole. */
export const noEvents = (): WireStream<never> => ({
  controller: new AbortController(),
  [Symbol.asyncIterator]: () => ({
    next: (): Promise<IteratorReturnResult<undefined>> => Promise.resolve({ done: true, value: undefined }),
  }),
});
