import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';

/** Reads a text file; `what` names it in the error. @throws {TroupeError} `input.invalid` where it cannot be read. */
export const readTextFile = async (place: string | URL, what: string): Promise<string> => {
  const file = typeof place === 'string' ? place : fileURLToPath(place);
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new TroupeError('input.invalid', `Cannot read ${what} '${file}': ${messageOf(thrown)}`, {
      cause: thrown,
    });
  }
};
