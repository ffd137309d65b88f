import type { readRunFile } from './read-run-file.ts';

/** The script that reads files, as it makes itself known. */
interface FileReading {
  readonly readRunFile: typeof readRunFile;
}

declare global {
  /** There once the reader of files was loaded; the name is the one that the page is built with. */
  var troupeFileReader: FileReading | undefined;
}

/**
 * Loads the reader of files, which stands in the page as text: most visits open none, and it is as large as the rest. Where it is missing, a
 * typed refusal stands in.
 */
export const loadReader = (): FileReading => {
  if (globalThis.troupeFileReader === undefined) {
    const script = document.createElement('script');
    // The page's policy lets no other script run.
    script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
    script.textContent = document.querySelector('#file-reader')?.textContent ?? '';
    document.head.append(script);
  }
  return globalThis.troupeFileReader ?? missing;
};

const missing: FileReading = {
  readRunFile: ({ name }) =>
    Promise.resolve({ refusal: `Cannot open ${name} as this page has no reader of files: reload it` }),
};
