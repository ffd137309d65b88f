import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Session } from '../session.ts';

/** Throws where a report could not be written: before the work is done that it is about. @throws {TroupeError} `command.usage` */
export const assertPlace = (option: string, file: string | undefined, { terminal }: Session): void => {
  if (file === undefined) return;
  const place = resolve(terminal.folder, file);
  if (statSync(dirname(place), { throwIfNoEntry: false })?.isDirectory() !== true)
    throw cannotWrite(option, file, 'there is no such folder');
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() === true)
    throw cannotWrite(option, file, 'it is a folder');
};

const cannotWrite = (option: string, file: string, why: string, cause?: unknown): TroupeError =>
  new TroupeError(
    'command.usage',
    `Cannot write the report that ${option} names to ${file} as ${why}. Name a file in a folder that is there`,
    { cause },
  );

/** Writes a report to a file; an older one is replaced. It may have texts of runs, so that it is for its owner only. */
export const writeReport = async (
  option: string,
  file: string | undefined,
  makeText: () => string,
  { terminal, settings }: Session,
): Promise<void> => {
  if (file === undefined) return;
  try {
    await writeFile(resolve(terminal.folder, file), makeText(), { mode: 0o600 });
  } catch (thrown) {
    throw cannotWrite(option, file, messageOf(thrown), thrown);
  }
  if (!settings.json && !settings.quiet) terminal.stderr.write(`Written: ${file}\n`);
};
