import { appendFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PRIVATE, PRIVATE_FOLDER } from '../../persistence/private-files.ts';

/** The disk of traces: the file system, or in a test one that is slow, full or broken. */
export interface TraceDisk {
  /** Makes a file, and the folders above it; false where it is there already. */
  create(file: string, text: string): Promise<boolean>;
  append(file: string, text: string): Promise<void>;
  /** Undefined where there is none. */
  read(file: string): Promise<Buffer | undefined>;
  /** As the process ends there is no time but now. */
  readonly atOnce: {
    create(file: string, text: string): boolean;
    /** In bytes; 0 where there is none. */
    size(file: string): number;
    append(file: string, text: string): void;
  };
}

/** Readable by its owner alone: it holds prompts and answers. */
const OWN = { mode: PRIVATE } as const;
const NEW = { ...OWN, flag: 'wx' } as const;

/** The file system. */
export const realDisk: TraceDisk = {
  create: async (file, text) => {
    await mkdir(dirname(file), PRIVATE_FOLDER);
    return writeFile(file, text, NEW).then(() => true, falseIfThere);
  },
  append: (file, text) => appendFile(file, text, OWN),
  read: async (file) => {
    try {
      return await readFile(file);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  },
  atOnce: {
    create: (file, text) => {
      mkdirSync(dirname(file), PRIVATE_FOLDER);
      try {
        writeFileSync(file, text, NEW);
        return true;
      } catch (error) {
        return falseIfThere(error);
      }
    },
    size: (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0,
    append: (file, text) => {
      appendFileSync(file, text, OWN);
    },
  },
};

const falseIfThere = (error: unknown): false => {
  if (codeOf(error) === 'EEXIST') return false;
  throw error;
};

/** The file system's code of an error. */
export const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
