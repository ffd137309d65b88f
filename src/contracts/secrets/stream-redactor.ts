import { openAt } from './open-secret.ts';
import type { Redactor } from './redactor.ts';

/** So much of what was shown is kept, for what is around a secret to be known. */
const CONTEXT = 200;
/** What is held back for longer is shown. */
const LONGEST_HELD = 40_000;

/**
 * Redacts a text that comes in pieces: an end that may be the beginning of a secret waits for what comes next, so that a secret
 * is found however it is cut.
 *
 * @example
 * const stream = new StreamRedactor(new Redactor({ API_KEY: 'sk-123456789' }));
 * stream.push('key=sk-12') + stream.push('3456789!') + stream.end() // => 'key=[redacted API_KEY]!'
 */
export class StreamRedactor {
  readonly #redactor: Redactor;
  /** What is held back, after what was shown last. */
  #text = '';
  #shown = 0;
  /** Where the secret begins that what was shown last ends with, and that was shown as redacted. */
  #marked: number | undefined;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes a piece in; gives what can be shown by now, which may be nothing. */
  push(piece: string): string {
    this.#text += piece;
    const held = Math.max(heldFrom(this.#text, this.#redactor), this.#shown);
    return this.#show(this.#text.length - held > LONGEST_HELD ? this.#text.length : held);
  }

  /** Gives what is left: nothing comes any more. */
  end(): string {
    return this.#show(this.#text.length);
  }

  #show(until: number): string {
    const text = this.#text;
    const found = this.#redactor.find(text);
    let shown = '';
    let from = this.#shown;
    let kept = Math.max(0, until - CONTEXT);
    let marked = this.#marked;
    for (const { start, end, name } of found) {
      if (end <= from || start >= until) continue;
      // Its beginning may have been shown before, as such or as redacted.
      if (start !== marked) shown += `${text.slice(from, Math.max(from, start))}[redacted ${name}]`;
      marked = start;
      from = Math.min(end, until);
      // Its rest is known for one by its beginning.
      if (end >= until) kept = Math.min(kept, start);
    }
    shown += text.slice(from, until);
    this.#marked = marked === undefined || marked < kept ? undefined : marked - kept;
    this.#text = text.slice(kept);
    this.#shown = until - kept;
    return shown;
  }
}

/** From where on the end of a text that goes on could be a part of a secret; its length if it is none. */
export const heldFrom = (text: string, redactor: Redactor): number => {
  const found = redactor.find(text).at(-1);
  const growing = found?.end === text.length ? found.start : text.length;
  return Math.min(growing, redactor.beginsAt(text), openAt(text));
};
