/**
 * A random UUID (version 4), also where the platform has no `crypto.randomUUID`: on pages that are not secure, as on a development server
 * that a phone in the same network opens.
 */
export const randomId = (): string => {
  // The types promise it everywhere.
  const platform: { randomUUID?(): string } = crypto;
  return platform.randomUUID?.() ?? madeId();
};

const madeId = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const marked = [...bytes].map((byte, index) => {
    if (index === 6) return (byte & 0x0f) | 0x40;
    return index === 8 ? (byte & 0x3f) | 0x80 : byte;
  });
  return marked
    .map((byte, index) => `${[4, 6, 8, 10].includes(index) ? '-' : ''}${byte.toString(16).padStart(2, '0')}`)
    .join('');
};
