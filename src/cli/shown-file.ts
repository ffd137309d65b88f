import { open, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { TroupeError } from '../contracts/errors/error.ts';
import { isScript } from './load-agent.ts';
import { isProgram } from './run-program.ts';

/** The kinds of files that `troupe inspect` shows: the log of a run, a program, and a module that exports an agent. */
export type ShownFile = 'log' | 'program' | 'module';

/**
 * The kind of a file: a log by its first line, or by its name where it has no such line, so that it is never run; else a script.
 *
 * @throws {TroupeError} `command.usage` for what is neither, or is not there.
 */
export const shownFile = async (file: string, folder: string): Promise<ShownFile> => {
  if (isLogName(file)) return 'log';
  const place = resolve(folder, file);
  const found = await stat(place).catch(() => undefined);
  if (found === undefined) throw cannot(file, `there is no such file: ${place}`);
  // A trace of 0.1 is a folder.
  if (found.isDirectory() || LOG_HEAD.test(await beginningOf(place))) return 'log';
  if (!isScript(place))
    throw cannot(
      file,
      `it is neither a log of a run (of --trace, or of troupe export) nor JavaScript or TypeScript: its name ends in ${extname(place)}`,
    );
  return (await isProgram(file, folder)) ? 'program' : 'module';
};

/** Checks whether a name is one that `--trace` and `troupe export` give. */
export const isLogName = (file: string): boolean => /\.(?:jsonl|journal)$/.test(file);

/** A journal of 0.1 says `journal`. */
const LOG_HEAD = /^\s*\{\s*"troupe"\s*:\s*"(?:log|journal)"/;

const beginningOf = async (place: string): Promise<string> => {
  const file = await open(place);
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(64), position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
};

const cannot = (file: string, reason: string): TroupeError =>
  new TroupeError('command.usage', `Cannot show ${file} as ${reason}`);
