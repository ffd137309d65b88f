/** A body is longer than it may be. */
export class TooLong extends Error {}

/** Reads a body as UTF-8; rejects with {@link TooLong} as soon as it is longer than `maxBytes`, and reads no more of it. */
export const readText = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = body?.getReader();
  let text = '';
  let bytes = 0;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    bytes += read.value.byteLength;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new TooLong(`its body is longer than ${maxBytes} bytes`);
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
};
