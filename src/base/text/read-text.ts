import type { Clock } from '../clock.ts';

/** A body is longer than it may be. */
export class TooLong extends Error {}

/** A body took longer than it may. */
export class TooLate extends Error {}

/** The time that a body may take to arrive, in ms. */
export interface ReadTime {
  readonly withinMs: number;
  readonly clock: Clock;
}

/**
 * Reads a body as UTF-8; rejects with {@link TooLong} as soon as it is longer than `maxBytes`, and with {@link TooLate} where its time is over,
 * and reads no more of it. Default: any time.
 */
export const readText = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  time?: ReadTime,
): Promise<string> => {
  if (body === null) return '';
  const reader = body.getReader();
  try {
    return await (time === undefined ? readAll(reader, maxBytes) : inTime(readAll(reader, maxBytes), time));
  } catch (thrown) {
    // The rest is not read; its sender may be gone.
    void reader.cancel().catch(() => undefined);
    throw thrown;
  }
};

const readAll = async (
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  let bytes = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    bytes += read.value.byteLength;
    if (bytes > maxBytes) throw new TooLong(`its body is longer than ${maxBytes} bytes`);
    texts.push(decoder.decode(read.value, { stream: true }));
  }
  texts.push(decoder.decode());
  return texts.join('');
};

const inTime = async (text: Promise<string>, { withinMs, clock }: ReadTime): Promise<string> => {
  let expire: (error: TooLate) => void = () => undefined;
  const lateness = new Promise<never>((_, reject) => {
    expire = reject;
  });
  const timer = clock.setTimeout(() => {
    expire(new TooLate(`its body did not arrive within ${withinMs} ms`));
  }, withinMs);
  try {
    return await Promise.race([text, lateness]);
  } finally {
    clock.clearTimeout(timer);
  }
};
