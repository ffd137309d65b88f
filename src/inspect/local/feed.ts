import type { ServerResponse } from 'node:http';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { Recording } from '../recording/recording.ts';
import { Viewer } from './viewer.ts';

/** A request to a person, and the run that it is of. */
export type AskedOf = OpenRequest & { readonly run: string };

const BEAT_MS = 15_000;

/** Broadcasts a recording to its viewers. Without viewers it costs nothing. */
export class Feed {
  readonly #viewers = new Set<Viewer>();
  /** Those among them that are inspectors of other processes, and the numbers of these: by them alone nobody looks. */
  readonly #relays = new Map<Viewer, number>();
  readonly #requests: () => readonly object[];
  #recording: Recording;
  #saidRequests = '';
  #isFlushDue = false;
  #beat: NodeJS.Timeout | undefined;
  #unfollow: () => void = () => undefined;
  /** Called when the first viewer comes, and the last has gone. */
  onWatched: (isWatched: boolean) => void = () => undefined;

  constructor(recording: Recording, requests: () => readonly object[]) {
    this.#recording = recording;
    this.#requests = requests;
  }

  get recording(): Recording {
    return this.#recording;
  }

  get isWatched(): boolean {
    return this.#viewers.size > this.#relays.size;
  }

  /** Checks whether the inspector of another process is among the viewers, by the number of that process. */
  isReadBy(pid: number): boolean {
    return [...this.#relays.values()].includes(pid);
  }

  /** Adds a viewer, from a position on; a relay is the inspector of another process, by the number of that. */
  join(response: ServerResponse, from: number, relay?: number): void {
    const viewer = new Viewer(response, this.#recording, from);
    response.on('close', () => {
      this.#leave(viewer);
    });
    if (response.destroyed) return;
    const wasWatched = this.isWatched;
    this.#viewers.add(viewer);
    if (relay !== undefined) this.#relays.set(viewer, relay);
    if (this.#viewers.size === 1) this.#start();
    if (!wasWatched && this.isWatched) this.onWatched(true);
    this.#lookAtRequests();
    viewer.requests(this.#saidRequests);
    viewer.flush();
  }

  /** Continues with a longer recording of the same run. */
  goOnWith(recording: Recording): void {
    this.#unfollow();
    this.#recording = recording;
    if (this.#viewers.size > 0) this.#follow();
    for (const viewer of this.#viewers) viewer.goOnWith(recording);
    this.#lookAtRequests();
    this.#flush();
  }

  /** Tells viewers which requests are open: an answer that is being checked is no entry yet. */
  renewRequests(): void {
    if (this.#viewers.size > 0) this.#flushSoon();
  }

  /** Sends one message to all viewers. */
  say(event: string, value: unknown): void {
    const line = this.#recording.line(value);
    for (const viewer of this.#viewers) viewer.say(event, line);
    this.#flush();
  }

  /** Sends what is pending at once: the process ends. */
  flush(): void {
    this.#lookAtRequests();
    this.#flush();
  }

  /** Ends the streams of relays as soon as they have all that there is. */
  async endRelays(): Promise<void> {
    this.flush();
    await Promise.all([...this.#relays.keys()].map((viewer) => viewer.end()));
  }

  close(): void {
    for (const viewer of this.#viewers) viewer.cut();
  }

  #leave(viewer: Viewer): void {
    const wasWatched = this.isWatched;
    this.#relays.delete(viewer);
    if (!this.#viewers.delete(viewer)) return;
    if (wasWatched && !this.isWatched) this.onWatched(false);
    if (this.#viewers.size > 0) return;
    clearInterval(this.#beat);
    this.#unfollow();
  }

  #start(): void {
    this.#beat = setInterval(() => {
      for (const viewer of this.#viewers) viewer.beat();
      this.#lookAtRequests();
      this.#flush();
    }, BEAT_MS).unref();
    this.#follow();
  }

  #follow(): void {
    this.#unfollow = this.#recording.follow({
      grew: () => {
        this.#flushSoon();
      },
      forgets: () => {
        for (const viewer of this.#viewers) viewer.catchUp();
      },
      delta: (line) => {
        for (const viewer of this.#viewers) viewer.delta(line);
        this.#flushSoon();
      },
    });
  }

  /** Once for all that happens in a turn of the event loop. */
  #flushSoon(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => {
      this.#isFlushDue = false;
      this.#lookAtRequests();
      this.#flush();
    });
  }

  #flush(): void {
    for (const viewer of this.#viewers) viewer.flush();
  }

  #lookAtRequests(): void {
    const line = this.#recording.line(this.#requests());
    if (line === this.#saidRequests) return;
    this.#saidRequests = line;
    for (const viewer of this.#viewers) viewer.requests(line);
  }
}
