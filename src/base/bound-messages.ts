const LINE_END = 10;

/**
 * Passes bytes on until a message among them is too long, and then fails by the error given: of a body, all of it is one; a stream of events may
 * last as long as it likes, and each of its lines is one.
 *
 * @example
 * response.body.pipeThrough(boundMessages({ most: 1_000_000, isStream: false, tooLong: () => new Error('too long') }));
 */
export const boundMessages = ({
  most,
  isStream,
  tooLong,
}: {
  /** In bytes. */
  readonly most: number;
  readonly isStream: boolean;
  readonly tooLong: () => Error;
}): TransformStream<Uint8Array, Uint8Array> => {
  let length = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const end = isStream ? chunk.lastIndexOf(LINE_END) : -1;
      length = end < 0 ? length + chunk.length : chunk.length - end;
      if (length <= most) controller.enqueue(chunk);
      else controller.error(tooLong());
    },
  });
};
