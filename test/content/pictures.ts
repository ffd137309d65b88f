/** A PNG of the given size in its header; what follows is no picture: nobody here unpacks it. */
export const png = (width = 2, height = 3, filling = 7): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(64).fill(filling);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
};

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

export const pdf = (): Uint8Array => new TextEncoder().encode('%PDF-1.7 of one page');

export const wav = (): Uint8Array => {
  const bytes = new Uint8Array(48);
  bytes.set(new TextEncoder().encode('RIFF'), 0);
  bytes.set(new TextEncoder().encode('WAVE'), 8);
  return bytes;
};
