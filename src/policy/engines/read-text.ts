/** Reads an answer as UTF-8. @throws {Error} for one of more than `maxBytes`; the rest of it is not read. */
export const readText = async (response: Response, maxBytes: number): Promise<string> => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = response.body?.getReader();
  let text = '';
  let length = 0;
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > maxBytes) {
      await reader?.cancel();
      throw new Error(`it answered more than ${maxBytes} bytes`);
    }
    text += decoder.decode(read.value, { stream: true });
  }
  return text + decoder.decode();
};
