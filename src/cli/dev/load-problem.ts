import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import { packageFolder } from '../../inspect/local/package-folder.ts';
import type { Report } from './dev-messages.ts';

type Failure = Extract<Report, { readonly failed: unknown }>;
type Place = NonNullable<Failure['place']>;

/** The message of an error of loading a project's file, with the line in the project that it is about. */
export const loadProblem = (thrown: unknown): Failure => {
  const error = rootOf(thrown);
  const message = messageOf(error);
  const unread = findTransformError(message);
  if (unread !== undefined) return unread;
  const place = error instanceof Error ? (placeInStack(error.stack ?? '') ?? importIn(message)) : undefined;
  const isUnparsed = place === undefined && error instanceof SyntaxError;
  return {
    failed: message,
    ...(place === undefined ? {} : { place }),
    ...(isUnparsed ? { isUnparsed } : {}),
  };
};

/** The path of a file as it is seen from a folder, if it is below that. */
export const shortPath = (file: string, folder: string): string => {
  const path = relative(folder, file);
  return path.startsWith('..') ? file : path;
};

/** The error that a wrapper says the file failed by. */
const rootOf = (thrown: unknown): unknown =>
  isTroupeError(thrown, 'command.usage') && thrown.cause !== undefined ? rootOf(thrown.cause) : thrown;

/** The first line by which tsx says of TypeScript that it cannot read it: `/home/ann/desk.ts:3:12: ERROR: Expected ";" but found "a"`. */
const findTransformError = (message: string): Failure | undefined => {
  for (const said of message.split('\n')) {
    const [place = '', why = ''] = said.split(': ERROR: ', 2);
    const [column, line, ...path] = place.split(':').toReversed();
    const file = path.toReversed().join(':');
    if (why !== '' && file !== '' && Number(line) > 0 && Number(column) >= 0)
      return { failed: why, place: { file, line: Number(line) } };
  }
  return undefined;
};

/** The head that Node gives the stack of an error of parsing or linking, else the first frame in a file of the project. */
const placeInStack = (stack: string): Place | undefined => {
  const head = placeOf(/^(?<file>(?:file:\/\/|\/|[A-Za-z]:\\)[^\n]+?):(?<line>\d+)\n/.exec(stack));
  if (head !== undefined) return head;
  for (const found of stack.matchAll(FRAME)) {
    const place = placeOf(found);
    if (place !== undefined && isOfProject(place.file)) return place;
  }
  return undefined;
};

const FRAME = /^ {4}at (?:.*? \()?(?:async )?(?<file>(?:file:\/\/|\/|[A-Za-z]:\\).+?):(?<line>\d+):\d+\)?$/gm;

const placeOf = (found: RegExpExecArray | null): Place | undefined => {
  const { file = '', line = '' } = found?.groups ?? {};
  return file === '' ? undefined : { file: pathOf(file), line: Number(line) };
};

/** Without the query by which tsx tells versions apart. */
const pathOf = (given: string): string => {
  const [file = ''] = given.split('?');
  return file.startsWith('file:') ? fileURLToPath(file) : file;
};

const isOfProject = (file: string): boolean =>
  !file.includes(`${sep}node_modules${sep}`) &&
  OWN_CODE.every((folder) => !file.startsWith(`${folder}${sep}`));

/** The folders of this command's own code, also where it was built to elsewhere. */
const OWN_CODE = [join(packageFolder, 'src'), join(packageFolder, 'dist'), dirname(import.meta.dirname)];

/** The line of an import that finds nothing. */
const importIn = (message: string): Place | undefined => {
  const { what = '', from = '' } =
    /^Cannot find (?:module|package) '(?<what>[^']+)' imported from (?<from>.+)$/m.exec(message)?.groups ??
    {};
  if (from === '') return undefined;
  const file = pathOf(from);
  const lines = linesOf(file);
  const index = lines.findIndex(
    (line) => /\b(?:import|from|require)\b/.test(line) && line.includes(basename(what)),
  );
  return { file, line: Math.max(0, index) + 1 };
};

const linesOf = (file: string): readonly string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
};

/** The first of some scripts that Node refuses with that message, and the line: of a module that was imported, Node does not say it. */
export const unparsedPlace = async (
  message: string,
  files: readonly string[],
): Promise<Place | undefined> => {
  for (const file of files) {
    if (!/\.[cm]?js$/.test(file)) continue;
    const said = await checkSyntax(file);
    if (!said.includes(message)) continue;
    const place = placeInStack(said);
    if (place !== undefined) return place;
  }
  return undefined;
};

/** Has Node check the syntax of a file, which is not run; returns its report. */
const checkSyntax = (file: string): Promise<string> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, ['--check', file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    child.once('error', () => {
      resolve('');
    });
    child.once('close', () => {
      resolve(said);
    });
  });
