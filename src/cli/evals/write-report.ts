import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Session } from '../session.ts';

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
    const message = `Cannot write the report that ${option} names to ${file}: ${messageOf(thrown)}. Name a file in a folder that is there`;
    throw new TroupeError('command.usage', message, { cause: thrown });
  }
  if (!settings.json && !settings.quiet) terminal.stderr.write(`Written: ${file}\n`);
};
