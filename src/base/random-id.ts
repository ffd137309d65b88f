/**
 * A random UUID (version 4), also where the platform has no `crypto.randomUUID`: on pages that are not secure, as on a development server
 * that a phone in the same network opens.
 */
export const randomId = (): string => {
  // The types promise it everywhere.
  const platform: { randomUUID?(): string } = crypto;
  return platform.randomUUID?.() ?? madeId();
};

/** Of random digits; those that tell version and variant are replaced. */
const madeId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-');
