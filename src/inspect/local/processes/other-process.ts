import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { errorData, TroupeError } from '../../../contracts/errors/error.ts';
import type { DeltaEvent } from '../../../contracts/events/event.ts';
import type { Breakpoint } from '../../recording/breakpoint.ts';
import { breakpointSchema } from '../../recording/breakpoint.ts';
import type { Entry, NewEntry } from '../../recording/entry.ts';
import type { Pack } from '../../recording/packs/pack.ts';
import { unpack } from '../../recording/packs/unpack.ts';
import { Recording } from '../../recording/recording.ts';
import type { TableauData } from '../../recording/tableau.ts';
import { Feed } from '../feed.ts';
import type { ListedRun } from '../session-board.ts';
import type { ListedProcess } from './listed-process.ts';
import type { ProcessQuestion } from './ask-process.ts';
import { askProcess, bodyOf } from './ask-process.ts';
import { ProcessRows, rowsSchema } from './process-rows.ts';
import type { Frame } from './read-frames.ts';
import { readFrames } from './read-frames.ts';
import type { Registration } from './registration.ts';
import { isRegistered } from './registration.ts';

/** Entries that are kept of a process as they are, and their size in characters. */
const CAPACITY = 50_000;
const MOST_KEPT = 32 * 1024 * 1024;
/** Characters that the entries of one message come to. */
const MOST_AT_ONCE = 32 * 1024 * 1024;
const MOST_ROWS = 16 * 1024 * 1024;
/** Time in ms after which a stream that broke off is opened again. */
const RETRY_MS = 200;
const MOST_MISSES = 10;
/** Time in ms that is waited for an answer. */
const WAIT_MS = 10_000;
/** Time for others after each part that is read, as a multiple of the time that it took: a flood costs a quarter of this process at most. */
const REST = 3;

const breakpointsSchema = z.object({ breakpoints: z.array(breakpointSchema).max(1_000) });

const entrySchema = z.looseObject({ n: z.int().min(0), kind: z.string(), at: z.number() });

const packSchema = z.object({ n: z.int().min(0), rows: z.array(z.array(z.unknown())) });

const baseSchema = z.object({
  length: z.int().min(0),
  charts: z.array(z.tuple([z.string(), z.unknown()])),
  actors: z.array(z.looseObject({ actor: z.string(), run: z.string() })),
});

const requestsSchema = z
  .array(z.looseObject({ id: z.string(), run: z.string(), kind: z.string() }))
  .max(1_000);

/**
 * The inspector of another process of the user, read as a page would read it.
 *
 * I1  It is followed from when it is found until it ends; what was read until then stays.
 * I2  What it sends is bounded, and harms only what is shown of it.
 */
export class OtherProcess {
  readonly registration: Registration;
  readonly feed: Feed;
  readonly #folder: string;
  readonly #rows = new ProcessRows();
  readonly #closing = new AbortController();
  #requests: readonly object[] = [];
  #isOver = false;
  #isRefused = false;
  /** The times in a row that its port was closed. */
  #misses = 0;
  #size = 0;
  #asking: Promise<void> | undefined;
  #renewal: NodeJS.Timeout | undefined;
  /** Called when it has ended. */
  onOver: () => void = () => undefined;
  /** Called when its runs have changed. */
  onNews: () => void = () => undefined;

  constructor(registration: Registration, folder: string) {
    this.registration = registration;
    this.#folder = folder;
    this.feed = new Feed(newRecording(), () => this.#requests);
    void this.#follow();
  }

  get listed(): ListedProcess {
    const { id, pid, program, startedAt, control } = this.registration;
    return { id, pid, program, startedAt, control: control && !this.#isOver, isOver: this.#isOver };
  }

  get rows(): readonly ListedRun[] {
    const process = this.listed;
    return this.#rows.all.map((row) => ({ ...row, process }));
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  has(run: string): boolean {
    return this.#rows.at(run) !== undefined;
  }

  /** Checks whether it is the process of a run, which has not ended. */
  runs(run: string): boolean {
    return !this.#isOver && this.#rows.at(run)?.source === 'live';
  }

  /** Asks for what has changed in its rows, once for all who want to know; a process that does not answer keeps the rows that it had. */
  async renew(): Promise<void> {
    if (this.#isOver) return;
    this.#asking ??= this.#askRows()
      .catch(() => undefined)
      .finally(() => {
        this.#asking = undefined;
      });
    await this.#asking;
  }

  /** The breakpoints of all its runs. */
  async breakpoints(): Promise<readonly Breakpoint[]> {
    if (this.#isOver) return [];
    const said = await this.#askJson('/api/session?relay').catch(() => undefined);
    return breakpointsSchema.safeParse(said).data?.breakpoints ?? [];
  }

  /** Says that somebody looks. */
  async tellWatched(): Promise<void> {
    try {
      (await this.ask({ path: '/api/watched', body: '{}', withinMs: WAIT_MS })).resume();
    } catch {
      // It ends just now, or is notified by the next who looks.
    }
  }

  /** Asks its inspector. @throws (rejects with) as {@link askProcess}. */
  async ask(question: ProcessQuestion): ReturnType<typeof askProcess> {
    if (this.#isOver)
      throw new TroupeError('run.ended', `Cannot reach process ${this.registration.pid} as it has ended`);
    return askProcess(this.registration, question);
  }

  /** Passes a stream of its inspector on, as it comes. @throws (rejects with) as {@link askProcess}. */
  async pipe(path: string, response: ServerResponse, head: (isShown: boolean) => void): Promise<void> {
    const left = new AbortController();
    response.on('close', () => {
      left.abort();
    });
    const source = await this.ask({ path, signal: left.signal });
    head(source.statusCode === 200);
    source.on('close', () => {
      response.end();
    });
    source.pipe(response);
  }

  close(): void {
    this.#closing.abort();
    clearTimeout(this.#renewal);
    this.feed.close();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      if (!this.#isRefused) await this.#read().catch((thrown: unknown) => this.#miss(thrown));
      if (signal.aborted) return;
      if (this.#misses > MOST_MISSES || !isRegistered(this.#folder, this.registration)) {
        this.#end();
        return;
      }
      await pause(RETRY_MS);
    }
  }

  /** A number may still be taken by a process that has ended: its port is closed. */
  #miss(thrown: unknown): void {
    const { cause } = thrown instanceof Error ? thrown : {};
    const isClosed =
      typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === 'ECONNREFUSED';
    this.#misses = isClosed ? this.#misses + 1 : 0;
  }

  async #read(): Promise<void> {
    const { length } = this.feed.recording;
    const response = await this.ask({
      path: `/api/recording?relay=${process.pid}&from=${length}`,
      signal: this.#closing.signal,
      withinMs: WAIT_MS,
    });
    if (response.statusCode !== 200) {
      response.destroy();
      return;
    }
    this.#misses = 0;
    this.#renewSoon();
    for await (const frames of readFrames(response)) {
      const begun = performance.now();
      try {
        for (const frame of frames) this.#take(frame);
      } catch (thrown) {
        this.#refuse(thrown);
        return;
      }
      await pause(Math.min(1_000, REST * (performance.now() - begun)));
    }
  }

  #take({ event, data }: Frame): void {
    const { recording } = this.feed;
    switch (event) {
      case 'base':
        return this.#startAnew(data);
      case 'entries':
        return this.#takeEntries(data);
      case 'delta':
        // It is passed on as it is.
        if (recording.isFollowed) recording.delta(JSON.parse(data) as DeltaEvent);
        return;
      case 'requests':
        this.#requests = requestsSchema.parse(JSON.parse(data));
        this.feed.renewRequests();
    }
  }

  /** Follows it no further, as what it sends is no recording: its rows stay, and the part that was read. */
  #refuse(thrown: unknown): void {
    this.#isRefused = true;
    const message = `Cannot follow process ${this.registration.pid} as what it sends is no recording`;
    const problem = new TroupeError('inspector.failed', message, { cause: thrown });
    this.feed.say('problem', errorData(problem, 'inspector.failed'));
  }

  #startAnew(data: string): void {
    const given: unknown = JSON.parse(data);
    baseSchema.parse(given);
    // Whatever else is in it is looked at below a catch, and passed on.
    const base = given as TableauData;
    if (base.length === 0 && this.feed.recording.length === 0) return;
    this.#size = data.length;
    this.feed.goOnWith(newRecording(base));
  }

  #takeEntries(data: string): void {
    packSchema.parse(JSON.parse(data));
    let size = 0;
    // Whatever else is in it is looked at below a catch, and passed on.
    for (const entry of unpack(JSON.parse(data) as Pack)) {
      const { length } = JSON.stringify(entry);
      // A few characters may stand for many.
      size += length;
      if (size > MOST_AT_ONCE) throw new Error('it is too large');
      this.#takeEntry(entry, length);
    }
  }

  #takeEntry(given: Entry, length: number): void {
    const { recording } = this.feed;
    const { n, ...rest } = entrySchema.parse(given);
    if (n !== recording.length) throw new Error('it is not the next entry');
    const entry = rest as NewEntry;
    this.#size += length;
    if (this.#size > MOST_KEPT) this.#fold();
    recording.add(entry);
    if (entry.kind === 'published') this.#rows.takeEvent(entry.event);
    if (isNews(entry)) this.#renewSoon();
  }

  /** Of what is kept only its sum stays. */
  #fold(): void {
    const { recording } = this.feed;
    recording.foldAll();
    this.#size = recording.base().length;
    if (this.#size > MOST_KEPT) throw new Error('it is too large');
  }

  /** Once for several changes. */
  #renewSoon(): void {
    this.#renewal ??= setTimeout(() => {
      this.#renewal = undefined;
      void this.renew().then(this.onNews);
    }, 60).unref();
  }

  async #askRows(): Promise<void> {
    const { version } = this.#rows;
    const since = version === undefined ? '' : `&since=${version}`;
    this.#rows.take(rowsSchema.parse(await this.#askJson(`/api/runs?relay${since}`)));
  }

  async #askJson(path: string): Promise<unknown> {
    const response = await this.ask({ path, signal: this.#closing.signal, withinMs: WAIT_MS });
    return JSON.parse((await bodyOf(response, MOST_ROWS)).toString('utf8'));
  }

  #end(): void {
    this.#isOver = true;
    this.#requests = [];
    clearTimeout(this.#renewal);
    this.#rows.close();
    this.feed.renewRequests();
    this.onOver();
  }
}

/** Without secrets of its own: its inspector has redacted them. */
const newRecording = (base?: TableauData): Recording =>
  new Recording({
    capacity: CAPACITY,
    base,
    onFailure: () => undefined,
  });

/** Checks whether an entry changes the list of runs. */
const isNews = (entry: NewEntry): boolean =>
  entry.kind === 'actor'
    ? entry.parent === undefined
    : entry.kind === 'published' && entry.event.type.startsWith('run.');

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
