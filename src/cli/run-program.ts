import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadModule } from './load-agent.ts';

/** Checks whether a file is a program: it exports nothing, and works as it is loaded. */
export const isProgram = async (file: string, folder: string): Promise<boolean> => {
  const place = resolve(folder, file);
  return existsSync(place) && !EXPORTS.test(await readFile(place, 'utf8'));
};

/** At the start of a line: a multi-line string may contain it too, and then the file counts as a module. */
const EXPORTS = /^[ \t]*export\b|^[ \t]*(?:module\.)?exports\b/m;

/**
 * Runs a program in this process, as `node FILE ARGS` would; resolves once it is loaded, with all that it waits for at its top.
 *
 * @throws {TroupeError} `command.usage` where it cannot be loaded, or fails.
 */
export const runProgram = async (file: string, folder: string, args: readonly string[]): Promise<void> => {
  const given = process.argv;
  process.argv = [process.execPath, resolve(folder, file), ...args];
  try {
    await loadModule(file, folder);
  } finally {
    process.argv = given;
  }
};
