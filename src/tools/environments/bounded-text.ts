/** A body is longer than it may be. */
export class TooLong extends Error {}

/**
 * Reads a body as text; rejects with {@link TooLong} as soon as it is longer than `maxBytes`, and reads no more of it.
 */
export const readText = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string> => {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new TooLong(`it is longer than ${maxBytes} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
};
