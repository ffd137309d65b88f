import type { FSWatcher } from 'node:fs';
import { watch } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { Feed } from '../feed.ts';
import type { ListedRun } from '../session-board.ts';
import type { ListedProcess } from './listed-process.ts';
import { OtherProcess } from './other-process.ts';
import { readRegistrations } from './registration.ts';

/** Living processes that are followed at most, and those that have ended and are kept. */
const MOST = 32;
const KEPT = 16;
/** Interval in ms at which the folder is looked at, beside what it says by itself. */
const LOOK_MS = 500;
/** Time in ms for which processes are followed when nobody looks any more: a page that is loaded again finds them. */
const LINGER_MS = 30_000;
/** Time in ms that a list waits for the rows of a process that is slow. */
const MOMENT_MS = 150;

/** The other inspected processes of the user, followed while somebody looks, or always. */
export class OtherProcesses {
  readonly #folder: string | undefined;
  readonly #own: string | undefined;
  readonly #isAlways: boolean;
  readonly #onFound: (process: OtherProcess) => void;
  readonly #onNews: () => void;
  readonly #known = new Map<string, OtherProcess>();
  readonly #pages = new Set<ServerResponse>();
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: NodeJS.Timeout | undefined;

  /** Without a folder there are none. */
  constructor({
    folder,
    own,
    isAlways = false,
    onFound = () => undefined,
    onNews = () => undefined,
  }: OtherProcessesSetup) {
    this.#folder = folder;
    this.#own = own;
    this.#isAlways = isAlways;
    this.#onFound = onFound;
    this.#onNews = onNews;
    if (isAlways) this.#begin();
  }

  /** All that are known, the newest first. */
  get listed(): readonly ListedProcess[] {
    return [...this.#known.values()]
      .map(({ listed }) => listed)
      .toSorted((one, other) => other.startedAt - one.startedAt);
  }

  /** The runs of all processes, as far as they answer within a moment. */
  async rows(): Promise<readonly ListedRun[]> {
    const moment = new Promise((resolve) => {
      setTimeout(resolve, MOMENT_MS).unref();
    });
    const renewed = [...this.#known.values()].map((process) => process.renew());
    await Promise.race([Promise.all(renewed), moment]);
    return [...this.#known.values()].flatMap(({ rows }) => rows);
  }

  /** Lines of all recordings. */
  *lines(): Generator<string> {
    for (const { feed } of this.#known.values()) yield* feed.recording.from();
  }

  /** The recording of a process. @throws {TroupeError} `inspector.failed` */
  feedOf(id: string): Feed {
    const found = this.#known.get(id);
    if (found !== undefined) return found.feed;
    const message = 'Cannot show the process as it is not known any more: choose a run of the table';
    throw new TroupeError('inspector.failed', message);
  }

  /** Those that have not ended. */
  get living(): readonly OtherProcess[] {
    return this.#those(false);
  }

  /** The process of that id. */
  at(id: string): OtherProcess | undefined {
    return this.#known.get(id);
  }

  /** The process that has a run: the one that runs it, else one that has it in its store, else the one that ran it. */
  holderOf(run: string): OtherProcess | undefined {
    const holders = [...this.#known.values()].filter((process) => process.has(run));
    return (
      holders.find((process) => process.runs(run)) ?? holders.find(({ isOver }) => !isOver) ?? holders[0]
    );
  }

  /** Somebody looks, until the connection closes. */
  join(response: ServerResponse): void {
    response.on('close', () => {
      if (this.#pages.delete(response) && this.#pages.size === 0) this.#lingerOn();
    });
    if (response.destroyed) return;
    this.#pages.add(response);
    clearTimeout(this.#end);
    this.#begin();
    if (this.#pages.size > 1) return;
    for (const process of this.#known.values()) void process.tellWatched();
  }

  close(): void {
    clearTimeout(this.#end);
    clearInterval(this.#timer);
    this.#watcher?.close();
    this.#timer = this.#watcher = undefined;
    for (const process of this.#known.values()) process.close();
    this.#known.clear();
  }

  #lingerOn(): void {
    if (this.#isAlways) return;
    this.#end = setTimeout(() => {
      this.close();
    }, LINGER_MS).unref();
  }

  #begin(): void {
    if (this.#timer !== undefined || this.#folder === undefined) return;
    const look = (): void => {
      this.#look();
    };
    this.#timer = setInterval(look, LOOK_MS).unref();
    try {
      this.#watcher = watch(this.#folder, { persistent: false }, look).on('error', () => undefined);
    } catch {
      // The interval is there.
    }
    look();
  }

  #look(): void {
    if (this.#folder === undefined) return;
    for (const registration of readRegistrations(this.#folder, this.#own)) {
      if (this.#known.has(registration.id)) continue;
      if (this.#those(false).length >= MOST) return;
      const process = new OtherProcess(registration, this.#folder);
      process.onOver = () => {
        this.#forgetSome();
        this.#onNews();
      };
      process.onNews = this.#onNews;
      this.#known.set(registration.id, process);
      this.#onFound(process);
      if (this.#pages.size > 0) void process.tellWatched();
    }
  }

  #forgetSome(): void {
    for (const process of this.#those(true).slice(0, -KEPT)) {
      process.close();
      this.#known.delete(process.registration.id);
    }
  }

  #those(isOver: boolean): readonly OtherProcess[] {
    return [...this.#known.values()].filter((process) => process.isOver === isOver);
  }
}

/** Parameters of following other processes. */
export interface OtherProcessesSetup {
  /** The folder of their registrations. */
  readonly folder: string | undefined;
  /** The id of the inspector itself. */
  readonly own?: string | undefined;
  /** True to follow them also while nobody looks. */
  readonly isAlways?: boolean | undefined;
  readonly onFound?: ((process: OtherProcess) => void) | undefined;
  /** The runs of one have changed, or it has ended. */
  readonly onNews?: (() => void) | undefined;
}
