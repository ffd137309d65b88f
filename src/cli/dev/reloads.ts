import { fileURLToPath } from 'node:url';
import { oneLine } from '../../base/text/printable.ts';
import type { HeldRun } from '../../inspect/local/processes/command-notes.ts';
import type { DevProcessSetup } from './dev-process.ts';
import { DevProcess } from './dev-process.ts';
import type { LeftRuns, Report } from './dev-messages.ts';
import { shortPath, unparsedPlace } from './load-problem.ts';
import type { DevKind } from './started-by-dev.ts';
import { END_WITHIN_MS } from './started-by-dev.ts';

/** The needs of reloading a file. */
export interface ReloadsSetup extends Pick<DevProcessSetup, 'args' | 'terminal'> {
  readonly file: string;
  /** The kind of the file as it is now. @throws {TroupeError} where it is gone. */
  readonly kindOf: () => Promise<DevKind>;
  /** The scripts that are known of the project. */
  readonly files: () => readonly string[];
  /** A version has imported a file. */
  readonly onImport: (file: string) => void;
  /** The problem of the newest version, and the runs that it does not continue, have changed. */
  readonly onChange: (problem: string | undefined, held: readonly HeldRun[]) => void;
  /** A version has come into use. */
  readonly onBegin: () => void;
  /** Prints a line. */
  readonly tell: (line: string) => void;
}

/** The files that a report is about. */
const importsIn = (report: Report): readonly string[] => {
  if ('watch:require' in report) return report['watch:require'];
  if (!('watch:import' in report)) return [];
  return report['watch:import'].flatMap((url) =>
    url.startsWith('file:') && URL.canParse(url) ? [fileURLToPath(url)] : [],
  );
};

/**
 * Time in ms that the work under way has when a definition is replaced. What takes longer is executed again by the next one, as after a
 * crash: model calls are, of tools those that are idempotent, and for the others a person decides.
 */
const LEAVE_WITHIN_MS = 60_000;
/** Time in ms after which it is said that a version waits for calls under way. */
const SOON_MS = 1_000;

/**
 * The versions of a file, each in a process of its own.
 *
 * I1  At most one process is in use, and at most one more is loading.
 * I2  A definition is replaced only by one that is loaded.
 * I3  A run is in one process at a time: it is suspended in the one before the next begins.
 */
export class Reloads {
  readonly #setup: ReloadsSetup;
  #used: DevProcess | undefined;
  #loading: DevProcess | undefined;
  #turn: Promise<void> = Promise.resolve();
  /** The failure of the version that is loading, while its line is looked for. */
  #failing: Promise<void> | undefined;
  #isWanted = false;
  #isStopped = false;
  /** The run of the INPUT, as long as it has not ended. */
  #main: string | undefined;
  /** The runs that were left, and are to be resumed. */
  readonly #left = new Set<string>();
  readonly #held = new Map<string, string>();
  #breakpoints: LeftRuns['breakpoints'] = [];
  #problem: string | undefined;

  constructor(setup: ReloadsSetup) {
    this.#setup = setup;
  }

  /** True while the newest version cannot be used. */
  get isLacking(): boolean {
    return this.#problem !== undefined;
  }

  /** Takes the file as it is now, once for all changes until its turn. A version that is still loading is out of date. */
  reload(): void {
    void this.#loading?.end();
    if (this.#isWanted) return;
    this.#isWanted = true;
    this.#turn = this.#turn.then(async () => {
      this.#isWanted = false;
      if (!this.#isStopped) await this.#load();
    });
  }

  /** Ends all processes; resolves with the runs that are left suspended. */
  async stop(): Promise<readonly string[]> {
    this.#isStopped = true;
    await Promise.all([this.#loading?.end(), this.#leave('Ends', END_WITHIN_MS)]);
    await this.#turn;
    return [...this.#left];
  }

  async #load(): Promise<void> {
    let kind: DevKind;
    try {
      kind = await this.#setup.kindOf();
    } catch (thrown) {
      await this.#fail({ failed: thrown instanceof Error ? thrown.message : String(thrown) });
      return;
    }
    if (kind === 'program') {
      // It runs as it is loaded: not beside the one before.
      await this.#leave('Reloads', LEAVE_WITHIN_MS);
      this.#say(undefined);
      if (this.#isStopped) return;
      this.#used = this.#start(kind);
      this.#setup.onBegin();
      return;
    }
    const next = (this.#loading = this.#start(kind));
    this.#failing = undefined;
    const isLoaded = await next.loaded;
    this.#loading = undefined;
    if (!isLoaded) {
      if (!this.#isWanted && !this.#isStopped)
        await (this.#failing ?? this.#fail({ failed: 'its process ended as it was loaded' }));
      return;
    }
    await this.#leave('Reloads', LEAVE_WITHIN_MS);
    if (this.#isStopped) await next.end();
    else this.#begin(next);
  }

  #begin(next: DevProcess): void {
    const others = new Set([...this.#left, ...this.#held.keys()]);
    if (this.#main !== undefined) others.delete(this.#main);
    this.#left.clear();
    this.#held.clear();
    this.#say(undefined);
    this.#used = next;
    next.tell({ main: this.#main ?? null, others: [...others], breakpoints: this.#breakpoints });
    this.#setup.onBegin();
  }

  #start(kind: DevKind): DevProcess {
    const { args, terminal } = this.#setup;
    return new DevProcess({
      kind,
      args,
      terminal,
      onReport: (report, from) => {
        for (const path of importsIn(report)) this.#setup.onImport(path);
        if (from === this.#used || from === this.#loading) this.#take(report);
      },
      onEnd: (code, which) => {
        if (which === this.#used) this.#lost(code);
      },
    });
  }

  #take(report: Report): void {
    if ('failed' in report) this.#failing = this.#fail(report);
    else if ('begun' in report) this.#main = report.begun;
    else if ('ended' in report) this.#main = undefined;
    else if ('continued' in report)
      this.#setup.tell(`Run ${report.continued} goes on: what it did is the same.`);
    else if ('left' in report) for (const run of report.left) this.#left.add(run);
    else if ('held' in report) this.#hold(report.held, report.reason);
  }

  /** Has the process in use suspend its runs, and ends it. */
  async #leave(does: string, withinMs: number): Promise<void> {
    const used = this.#used;
    if (used === undefined) return;
    if (used.kind === 'definition') {
      const timer = setTimeout(() => {
        this.#setup.tell(`${does} once the calls under way are answered.`);
      }, SOON_MS);
      const left = await used.suspend(withinMs);
      clearTimeout(timer);
      if (left !== undefined) {
        this.#breakpoints = left.breakpoints;
        // It has ended just now.
        const main = this.#main ?? '';
        if (!this.#left.has(main) && !this.#held.has(main)) this.#main = undefined;
      }
    }
    this.#used = undefined;
    await used.end();
  }

  #lost(code: number | null): void {
    this.#used = undefined;
    const ending = code === 0 ? '' : ` (exit code ${code ?? 'none'})`;
    if (!this.#isStopped) this.#setup.tell(`${this.#setup.file} ended${ending}: change it to run it again.`);
  }

  #hold(run: string, reason: string): void {
    this.#held.set(run, oneLine(reason, 2_000));
    this.#setup.tell(`Run ${run} is held: ${oneLine(reason, 1_000)}`);
    this.#say(this.#problem);
  }

  async #fail({ failed, place, isUnparsed }: Extract<Report, { readonly failed: unknown }>): Promise<void> {
    const { file, files, terminal, tell } = this.#setup;
    const found = place ?? (isUnparsed === true ? await unparsedPlace(failed, files()) : undefined);
    const at = found === undefined ? '' : `${shortPath(found.file, terminal.folder)}:${found.line}: `;
    const rest = this.#used?.kind === 'definition' ? ' The last version that loads stays in use.' : '';
    const why = oneLine(failed, 2_000);
    const problem = `${file} failed: ${at}${why}${rest === '' || /[.!?]$/.test(why) ? '' : '.'}`;
    tell(`${problem}${rest}`);
    this.#say(`${problem}${rest}`);
  }

  #say(problem: string | undefined): void {
    this.#problem = problem;
    this.#setup.onChange(
      problem,
      [...this.#held].map(([run, reason]) => ({ run, reason })),
    );
  }
}
