import type { readRunFile } from './read-run-file.ts';

/** The script that reads files, as it makes itself known. */
interface FileReading {
  readonly readRunFile: typeof readRunFile;
}

declare global {
  /** The text of the script that reads files; these names are given where the page is built. */
  var troupeFileReaderText: string | undefined;
  /** There once that script was run. */
  var troupeFileReader: FileReading | undefined;
}

/**
 * Loads the reader of files, which is a text in the page's script: most visits open none, and it is as large as the rest. Where it is missing, a
 * typed refusal stands in.
 */
export const loadReader = (): FileReading => {
  if (globalThis.troupeFileReader === undefined) {
    const script = document.createElement('script');
    // The page's policy lets no other script run.
    script.nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? '';
    script.textContent = globalThis.troupeFileReaderText ?? '';
    document.head.append(script);
    script.remove();
  }
  return globalThis.troupeFileReader ?? missing;
};

const missing: FileReading = {
  readRunFile: ({ name }) =>
    Promise.resolve({ refusal: `Cannot open ${name} as this page has no reader of files: reload it` }),
};
