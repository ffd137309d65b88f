import { execFile } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { BashLike } from '../../src/tools/environments/bash-environment.ts';

/** A shell with the interface of `just-bash`, on the file system of this machine. */
export const hostBash = (changes: Partial<BashLike> = {}): BashLike => ({
  exec: async (command, { args = [], cwd, signal } = {}) => {
    const found = await promisify(execFile)(command, args, { cwd, signal });
    return { ...found, exitCode: 0 };
  },
  fs: {
    readFileBuffer: (path) => readFile(path),
    writeFile: (path, content) => writeFile(path, content),
    mkdir: async (path, options) => {
      await mkdir(path, options);
    },
    readdir: (path) => readdir(path),
    lstat: async (path) => {
      const found = await lstat(path);
      return {
        isFile: found.isFile(),
        isDirectory: found.isDirectory(),
        isSymbolicLink: found.isSymbolicLink(),
        size: found.size,
      };
    },
    realpath: (path) => realpath(path),
    rm: (path) => rm(path),
  },
  ...changes,
});
