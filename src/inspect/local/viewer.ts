import type { ServerResponse } from 'node:http';
import type { Recording } from '../recording/recording.ts';

/** Number of characters written at once. */
const CHUNK = 64 * 1024;

/** Time without progress after which a viewer is disconnected, in ms. */
const STALL_MS = 30_000;

/**
 * A viewer of a recording, by server-sent events.
 *
 * I1  It receives each entry from its start once, in order, in packs: the id of a message is the place of the last entry in it.
 * I2  Unsent entries stay in the recording, as references: at most one chunk is made text and buffered, once the connection takes it. A
 *     viewer that stalls, or whose next entry the recording has dropped, is disconnected, and may reconnect.
 */
export class Viewer {
  readonly #response: ServerResponse;
  #recording: Recording;
  /** The place of the entry that it is sent next. */
  #next: number;
  #pending: string[] = [];
  #pendingLength = 0;
  #isBlocked = false;
  #stall: NodeJS.Timeout | undefined;
  /** Open requests not sent yet. */
  #requests: string | undefined;

  constructor(response: ServerResponse, recording: Recording, from: number) {
    this.#response = response;
    this.#recording = recording;
    const isWithin = from > 0 && from >= recording.first && from <= recording.length;
    this.#next = isWithin ? from : recording.first;
    if (!isWithin) this.#write(frame('base', recording.base()));
    response.on('drain', () => {
      this.#drained();
    });
    response.on('close', () => {
      clearTimeout(this.#stall);
    });
  }

  /** Sends a piece of a model's text after the entries before it, unless the viewer is slow. */
  delta(line: string): void {
    if (this.catchUp()) this.#push(frame('delta', line));
  }

  /** Updates the open requests. */
  requests(line: string): void {
    this.#requests = line;
  }

  /** Sends one message, after the entries before it unless the viewer is slow. */
  say(event: string, line: string): void {
    this.catchUp();
    this.#push(frame(event, line));
  }

  beat(): void {
    if (!this.#isBlocked) this.#write(': still here\n\n');
  }

  /** Continues with another recording that starts like the one before. */
  goOnWith(recording: Recording): void {
    this.#recording = recording;
    if (this.#next > recording.length) this.cut();
    else this.flush();
  }

  /** Takes the next entries, up to a chunk, unless the viewer is slow; returns true if these are all. */
  catchUp(): boolean {
    while (!this.#isBlocked && this.#pendingLength < CHUNK) {
      const pack = this.#recording.packAt(this.#next);
      if (pack === undefined) return true;
      this.#push(frame('entries', pack.text, pack.next - 1));
      this.#next = pack.next;
    }
    return false;
  }

  /** Sends what is pending, as far as the connection accepts it. */
  flush(): void {
    if (this.#recording.first > this.#next) this.cut();
    while (!this.#isBlocked) {
      const isUpToDate = this.catchUp();
      if (this.#requests !== undefined) this.#push(frame('requests', this.#requests));
      this.#requests = undefined;
      this.#writePending();
      if (isUpToDate) return;
    }
  }

  /** Ends the stream once all of the recording was sent; resolves when the connection has taken it, or is closed. */
  async end(): Promise<void> {
    while (!this.#response.destroyed && this.#next < this.#recording.length)
      await new Promise<void>((resolve) => {
        for (const event of ['drain', 'close']) this.#response.once(event, resolve);
      });
    await new Promise<void>((resolve) => {
      this.#response.once('close', resolve);
      this.#response.end(resolve);
      if (this.#response.destroyed) resolve();
    });
  }

  /** Disconnects: the viewer may reconnect with its position. */
  cut(): void {
    this.#isBlocked = true;
    this.#response.destroy();
  }

  #push(text: string): void {
    this.#pending.push(text);
    this.#pendingLength += text.length;
  }

  #writePending(): void {
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingLength = 0;
    if (text !== '') this.#write(text);
  }

  #write(text: string): void {
    if (this.#response.write(text) || this.#isBlocked) return;
    this.#isBlocked = true;
    this.#stall = setTimeout(() => {
      this.cut();
    }, STALL_MS).unref();
  }

  #drained(): void {
    clearTimeout(this.#stall);
    if (this.#response.destroyed) return;
    this.#isBlocked = false;
    this.flush();
  }
}

/** Formats an event; JSON contains no line breaks. */
const frame = (event: string, line: string, id?: number): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${line}\n\n`;
