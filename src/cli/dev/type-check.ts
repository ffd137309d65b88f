import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { oneLine } from '../../base/text/printable.ts';
import { shortPath } from './load-problem.ts';

/** The project whose types are checked, and who is notified. */
export interface TypeCheckSetup {
  /** A file of the project. */
  readonly file: string;
  /** The folder that paths are shown from. */
  readonly folder: string;
  /** Called with the errors in one line, and without one where there are none any more. */
  readonly onChange: (problem: string | undefined) => void;
}

/**
 * Checks the types of a project by its own TypeScript and its own `tsconfig.json`; without both, nothing is checked.
 *
 * I1 One check at a time: a newer one ends the one before.
 */
export class TypeCheck {
  readonly #setup: TypeCheckSetup;
  #checking: ChildProcess | undefined;
  #problem: string | undefined;

  constructor(setup: TypeCheckSetup) {
    this.#setup = setup;
  }

  /** The errors of the last check. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Checks the project as it is now; whatever else happens does not wait for it. */
  check(): void {
    this.stop();
    const { file, folder } = this.#setup;
    const compiler = findAbove(file, join('node_modules', 'typescript', 'bin', 'tsc'));
    const config = findAbove(file, 'tsconfig.json');
    if (compiler === undefined || config === undefined) return;
    const root = dirname(config);
    const args = [compiler, '--noEmit', '--incremental', 'false', '--pretty', 'false', '-p', config];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    this.#checking = child;
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      said += part;
    });
    // A compiler that does not start has found nothing.
    child.once('error', () => undefined);
    child.once('close', () => {
      if (this.#checking !== child) return;
      this.#checking = undefined;
      this.#found(problemIn(said, root, folder));
    });
  }

  /** Ends a check under way. */
  stop(): void {
    this.#checking?.kill();
    this.#checking = undefined;
  }

  #found(problem: string | undefined): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#setup.onChange(problem);
  }
}

/** A file of that name beside another file, or in a folder above. */
const findAbove = (file: string, name: string): string | undefined => {
  for (let folder = dirname(resolve(file)); ; folder = dirname(folder)) {
    const found = join(folder, name);
    if (existsSync(found)) return found;
    if (dirname(folder) === folder) return undefined;
  }
};

/** The first error that a compiler prints, and the number of the others. */
const problemIn = (said: string, root: string, folder: string): string | undefined => {
  const errors = said.split('\n').filter((line) => /(?:^|: )error TS\d/.test(line));
  const [first] = errors;
  if (first === undefined) return undefined;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return `Errors of types, and it runs as it is: ${shortError(first, root, folder)}${more}`;
};

/** `src/desk.ts(3,7): error TS2322: …` as `src/desk.ts:3: …`, from the folder of the command. */
const shortError = (error: string, root: string, folder: string): string => {
  const [place = '', why] = error.split(/: error TS\d+: /, 2);
  const open = place.lastIndexOf('(');
  if (why === undefined || open < 0) return oneLine(error, 1_000);
  const [line = ''] = place.slice(open + 1).split(',');
  return `${shortPath(resolve(root, place.slice(0, open)), folder)}:${line}: ${oneLine(why, 1_000)}`;
};
