/** The pictures that a browser draws without running anything in them; all other media are files to keep. */
const DRAWN: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** Checks whether media of a type may be drawn in a page. */
export const isDrawn = (mediaType: string): boolean => DRAWN.has(mediaType);
