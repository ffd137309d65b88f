import { appendFileSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';

/** What a trace is written by: the file system, or in a test one that is slow, full or broken. */
export interface TraceDisk {
  /** Makes a folder and all above it; false where it is there already. */
  makeFolder(folder: string): Promise<boolean>;
  append(file: string, text: string): Promise<void>;
  /** Puts a file in the place of another, whole. */
  replace(file: string, text: string): Promise<void>;
  /** Undefined where there is none. */
  read(file: string): Promise<Buffer | undefined>;
  /** As the process ends there is no time but now. */
  readonly atOnce: {
    makeFolder(folder: string): void;
    /** In bytes; 0 where there is none. */
    size(file: string): number;
    append(file: string, text: string): void;
    replace(file: string, text: string): void;
  };
}

/** What was asked and answered is nobody else's to read. */
const OWN_FILE = { mode: 0o600 } as const;

const draftOf = (file: string): string => `${file}.draft`;

/** The file system. */
export const realDisk: TraceDisk = {
  makeFolder: async (folder) => {
    // Says by what it gives back whether it made anything: the first folder that it made.
    return (await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined;
  },
  append: (file, text) => appendFile(file, text, OWN_FILE),
  replace: async (file, text) => {
    try {
      await writeFile(draftOf(file), text, OWN_FILE);
      await rename(draftOf(file), file);
    } catch (error) {
      await rm(draftOf(file), { force: true }).catch(() => undefined);
      throw error;
    }
  },
  read: async (file) => {
    try {
      return await readFile(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },
  atOnce: {
    makeFolder: (folder) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
    },
    size: (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    append: (file, text) => {
      appendFileSync(file, text, OWN_FILE);
    },
    replace: (file, text) => {
      writeFileSync(draftOf(file), text, OWN_FILE);
      renameSync(draftOf(file), file);
    },
  },
};

/** What the file system calls an error. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
