import type { Clock } from '../../../base/clock.ts';
import { systemClock } from '../../../base/clock.ts';

/** A keep-alive, sent after a period of silence. */
export interface Heartbeat {
  readonly text: string;
  /** In ms; `Infinity` for none. */
  readonly everyMs: number;
  readonly clock?: Clock | undefined;
}

/**
 * Converts texts to a stream of bytes, pulled as fast as it is read. Cancelling it closes `texts`, even while waiting.
 * A reader that does not read gets no heartbeats: they do not pile up.
 */
export const byteStream = (
  texts: AsyncIterator<string, undefined>,
  heartbeat?: Heartbeat,
): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  const { clock = systemClock } = heartbeat ?? {};
  let timer: unknown;
  const rest = (): void => {
    clock.clearTimeout(timer);
  };
  const beat = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    rest();
    if (heartbeat === undefined || heartbeat.everyMs === Infinity) return;
    timer = clock.setTimeout(() => {
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(heartbeat.text));
      beat(controller);
    }, heartbeat.everyMs);
  };
  return new ReadableStream<Uint8Array>({
    start: beat,
    pull: async (controller) => {
      const { value, done } = await texts.next();
      if (done === true) {
        rest();
        controller.close();
        return;
      }
      controller.enqueue(encoder.encode(value));
      beat(controller);
    },
    cancel: async () => {
      rest();
      await texts.return?.();
    },
  });
};
