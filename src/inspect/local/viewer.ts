import type { ServerResponse } from 'node:http';
import type { Recording } from '../recording/recording.ts';

/** The number of characters that are written at once. */
const CHUNK = 64 * 1024;

/** The time that a viewer may take nothing, in ms. */
const STALL_MS = 30_000;

/**
 * Somebody who looks at a recording, by server-sent events.
 *
 * I1  It is sent each entry from where it began once, in order.
 * I2  What it has not taken stays in the recording: beside that, there is one chunk for it at most. One that takes nothing for long, or
 *     for whom the recording has forgotten what comes next, is cut off, and may come again.
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
  /** What waits for somebody, as it was not sent yet. */
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

  /** An entry was added to the recording. */
  entry(line: string, n: number): void {
    if (this.#recording.first > this.#next) this.cut();
    else if (n === this.#next && !this.#isBlocked && this.#pendingLength < CHUNK) {
      this.#push(frame('entry', line, n));
      this.#next += 1;
    }
  }

  /** A piece of what a model says: whoever is slow does without. */
  delta(line: string): void {
    if (!this.#isBlocked && this.#pendingLength < CHUNK) this.#push(frame('delta', line));
  }

  /** What waits for somebody. */
  requests(line: string): void {
    this.#requests = line;
  }

  /** Says something once. */
  say(event: string, line: string): void {
    this.#push(frame(event, line));
  }

  beat(): void {
    if (!this.#isBlocked) this.#write(': still here\n\n');
  }

  /** Goes on with another recording, which begins as the one before. */
  goOnWith(recording: Recording): void {
    this.#recording = recording;
    if (this.#next > recording.length || this.#next < recording.first) this.cut();
    else this.flush();
  }

  /** Sends what there is, as far as it takes it. */
  flush(): void {
    if (this.#isBlocked) return;
    if (this.#requests !== undefined) this.#push(frame('requests', this.#requests));
    this.#requests = undefined;
    const text = this.#pending.join('');
    this.#pending = [];
    this.#pendingLength = 0;
    if (text !== '') this.#write(text);
    while (!this.#isBlocked && this.#next < this.#recording.length) this.#write(this.#chunk());
  }

  /** Breaks the connection: it may come again, and say where it was. */
  cut(): void {
    this.#isBlocked = true;
    this.#response.destroy();
  }

  #chunk(): string {
    let chunk = '';
    for (const line of this.#recording.from(this.#next)) {
      chunk += frame('entry', line, this.#next);
      this.#next += 1;
      if (chunk.length >= CHUNK) break;
    }
    return chunk;
  }

  #push(text: string): void {
    this.#pending.push(text);
    this.#pendingLength += text.length;
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
    if (this.#recording.first > this.#next) this.cut();
    else this.flush();
  }
}

/** An event as it is sent; JSON has no line breaks. */
const frame = (event: string, line: string, id?: number): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${line}\n\n`;
