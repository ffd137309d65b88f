import { resolve } from 'node:path';
import { statSync } from 'node:fs';
import type { ContentOptions } from '../../contracts/content/content-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Session } from '../session.ts';

/** The folder of `--blobs`, with the bytes of media. @throws {TroupeError} `command.usage` if it is not there. */
export const contentIn = async (
  named: string | undefined,
  { terminal }: Session,
): Promise<Pick<ContentOptions, 'blobs'>> => {
  if (named === undefined) return {};
  const folder = resolve(terminal.folder, named);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true)
    throw new TroupeError(
      'command.usage',
      `Cannot find the bytes of media as --blobs names ${found === undefined ? 'no folder' : 'a file'}: ${folder}. Give the folder of folderBlobs()`,
    );
  const { folderBlobs } = await import('../../persistence/folder-blobs.ts');
  return { blobs: folderBlobs(folder) };
};
