/** Responses whose event stream has said `[DONE]`. */
const done = new WeakSet<Response>();

/** Checks whether a response's stream has said `[DONE]`, which the SDKs read and do not pass on. */
export const saidDone = (response: Response): boolean => done.has(response);

/** In ms: time that an idle connection may stay open after `[DONE]`. */
const OPEN_LINE_MS = 1_000;

/** On a line of its own; JSON within an answer contains no line end. */
const DONE = /(^|[\r\n])data: ?\[DONE\]\s*$/;

const TAIL_LENGTH = 32;

/**
 * Makes an event stream readable to its end. The SDKs drop the last event if the empty line after it is missing, as
 * with some relays: an additional line end is harmless, as half an event is invalid JSON either way. Everything after
 * `[DONE]` is dropped, even while the connection stays open. Any other response is returned unchanged.
 */
export const withEventStream = (response: Response): Response => {
  if (response.body === null || !/event-stream/i.test(response.headers.get('content-type') ?? ''))
    return response;
  const { status, statusText, headers } = response;
  const watched: { response?: Response } = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tail = '';

  /** Examines only the latest bytes: an answer may be megabytes long. */
  const isDone = (bytes: Uint8Array): boolean => {
    tail = (tail + String.fromCharCode(...bytes.subarray(-TAIL_LENGTH))).slice(-TAIL_LENGTH);
    return DONE.test(tail);
  };

  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        controller.enqueue(bytes);
        if (timer !== undefined || !isDone(bytes)) return;
        if (watched.response !== undefined) done.add(watched.response);
        timer = setTimeout(() => {
          try {
            controller.terminate();
          } catch {
            // The reader has left already.
          }
        }, OPEN_LINE_MS);
      },
      flush: (controller) => {
        clearTimeout(timer);
        controller.enqueue(new TextEncoder().encode('\n\n'));
      },
    }),
  );
  watched.response = new Response(body, { status, statusText, headers });
  return watched.response;
};
