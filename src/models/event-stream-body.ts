/** Responses whose event stream said that it is through. */
const done = new WeakSet<Response>();

/** True once a response's stream has said `[DONE]`. The SDKs read it, and do not pass it on. */
export const saidDone = (response: Response): boolean => done.has(response);

/** In ms: how long a line that says nothing more may stay open. */
const OPEN_LINE_MS = 1_000;

/** As a separate line; within an answer's JSON there is no line end. */
const DONE = /(^|[\r\n])data: ?\[DONE\]\s*$/;

const TAIL_LENGTH = 32;

/**
 * An event stream that the SDKs can read to its end. They drop the last event of a stream that lacks the empty line after
 * it, as some relays leave it: one line more hurts nobody, as half an event is no JSON, with or without it. What follows
 * `[DONE]` is nothing, also where the line stays open. Any other response is returned as it is.
 */
export const withEventStream = (response: Response): Response => {
  if (response.body === null || !/event-stream/i.test(response.headers.get('content-type') ?? ''))
    return response;
  const { status, statusText, headers } = response;
  const watched: { response?: Response } = {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let tail = '';

  /** Only what has arrived last is looked at: an answer may be megabytes long. */
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
