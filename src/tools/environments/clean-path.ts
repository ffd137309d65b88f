import { TroupeError } from '../../contracts/errors/error.ts';

/** The longest name of a file or folder that common file systems take, in bytes. */
const MAX_NAME_BYTES = 255;

/** The longest path, in characters. */
const MAX_PATH = 4_096;

/**
 * Splits a path below a root into names; none for the root itself.
 *
 * Pure: only the text counts. Nothing is decoded, so `%2e%2e` is an ordinary file name.
 *
 * @example
 * pathNames('src/./main.ts') // => ['src', 'main.ts']
 *
 * @throws `tool.denied` for a path that is absolute, leads upwards, or that systems read in different ways.
 */
export const pathNames = (path: string): readonly string[] => {
  const problem = problemOf(path);
  if (problem !== undefined) throw pathDenied(path, problem);
  return path.split('/').filter((name) => name !== '' && name !== '.');
};

/** Formats a path below the root: `.` for the root itself. */
export const shownPath = (names: readonly string[]): string => names.join('/') || '.';

/** Creates the error for a refused path: the model reads it, so it repeats the model's own text and nothing else. */
export const pathDenied = (path: string, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot use the path ${JSON.stringify(path.slice(0, 200))} as ${reason}`, {
    retryable: 'no',
  });

const problemOf = (path: string): string | undefined => {
  if (path.length > MAX_PATH) return `it is longer than ${MAX_PATH} characters`;
  if (path.includes('\0')) return 'it contains a NUL character';
  if (path.includes('\\')) return 'it contains a backslash: names are separated by /';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'it is absolute: paths start below the root';
  const names = path.split('/');
  if (names.includes('..')) return "it leads upwards: '..' is not allowed";
  const encoder = new TextEncoder();
  if (names.some((name) => encoder.encode(name).length > MAX_NAME_BYTES))
    return `one of its names is longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
};
