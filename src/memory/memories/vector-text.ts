/** A vector as base64 of its bytes: a third of what its numbers would take. */
export const toBase64 = (vector: Float32Array): string => {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  let text = '';
  for (let at = 0; at < bytes.length; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(text);
};

/** Decodes a vector; empty if the text is invalid. */
export const fromBase64 = (text: string): Float32Array => {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return new Float32Array();
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = binary.charCodeAt(at);
  return bytes.byteLength % 4 === 0 ? new Float32Array(bytes.buffer) : new Float32Array();
};

/** Arguments of one call are limited. */
const CHUNK = 8_192;
