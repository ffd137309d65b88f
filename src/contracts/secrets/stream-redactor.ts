import { findPublic } from './find-public.ts';
import type { FoundSecret } from './find-public.ts';
import { letterAt, openAt } from './open-secret.ts';
import { PIECE } from './redactor.ts';
import type { Redactor } from './redactor.ts';

/** So much of what was shown is kept, for what is around a secret to be known. */
const CONTEXT = 200;
/** What is held back for longer is shown. */
const LONGEST_HELD = 40_000;
/** Of a secret that goes on, so much is left out at a time, or more. */
const LEFT_OUT = 2_000;
/** So much tells a secret by its looks: all that is bounded in a pattern is shorter. */
const BEGINNING = 2_100;
/** The same for a key in armour. */
const ARMOURED = 40_200;
/** So much of its end may be the beginning of something else. */
const END = 256;
/** A token of parts has so many dots after its first two parts. */
const DOTS = 3;
/** The shortest line of a key in armour. */
const LINE = 16;

/**
 * Redacts a text that comes in pieces: an end that may be the beginning of a secret waits for what comes next, so that a secret
 * is found however it is cut. The first letters of a key that is known by how it begins (`s` of `sk-`) wait, too: what is around them is released by the
 * next piece. Takes time in proportion to the text, however long a secret in it is.
 *
 * @example
 * const stream = new StreamRedactor(new Redactor({ API_KEY: 'sk-123456789' }));
 * stream.push('key=sk-12') + stream.push('3456789!') + stream.end() // => 'key=[redacted API_KEY]!'
 */
export class StreamRedactor {
  #redactor: Redactor;
  /** What is held back, after what was shown last. */
  #text = '';
  #shown = 0;
  /** Where the secret begins that what was shown last ends with, and that was shown as redacted. */
  #marked: number | undefined;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** More is known from now on. */
  use(redactor: Redactor): void {
    this.#redactor = redactor;
  }

  /** Takes a piece in; gives what can be shown by now, which may be nothing. */
  push(piece: string): string {
    this.#text += piece;
    const text = this.#text;
    const found = this.#redactor.find(text);
    const held = Math.max(Math.min(heldAfter(found, text, this.#redactor), letterAt(text)), this.#shown);
    const shown = this.#show(text.length - held > LONGEST_HELD ? text.length : held, found);
    const isGrowing = found.at(-1)?.end === text.length;
    if (isGrowing && this.#text.length > BEGINNING + LEFT_OUT + END) this.#shorten();
    return shown;
  }

  /** Gives what is held back only as it may be the first letters of a key: something else is to be shown that comes after it. */
  release(): string {
    const text = this.#text;
    if (this.#shown === text.length) return '';
    const found = this.#redactor.find(text);
    return this.#show(Math.max(heldAfter(found, text, this.#redactor), this.#shown), found);
  }

  /** Gives what is left: nothing comes any more. */
  end(): string {
    return this.#show(this.#text.length, this.#redactor.find(this.#text));
  }

  #show(until: number, found: readonly FoundSecret[]): string {
    const text = this.#text;
    let shown = '';
    let from = this.#shown;
    let kept = Math.max(0, until - CONTEXT);
    let marked = this.#marked;
    let first = 0;
    let last = -1;
    for (const { start, end, name } of found) {
      if (start !== last) first = start;
      last = end;
      // Its rest is known for one by its beginning, or by that of the one before it, and by what is in front of that.
      if (start < until && end >= until) kept = Math.min(kept, Math.max(0, first - CONTEXT));
      if (end <= from || start >= until) continue;
      // Its beginning may have been shown before, as such or as redacted.
      if (start !== marked) shown += `${text.slice(from, Math.max(from, start))}[redacted ${name}]`;
      marked = start;
      from = Math.min(end, until);
    }
    shown += text.slice(from, until);
    this.#marked = marked === undefined || marked < kept ? undefined : marked - kept;
    this.#text = text.slice(kept);
    this.#shown = until - kept;
    return shown;
  }

  /** Leaves out the middle of a secret that goes on: it would be looked at again with each piece. */
  #shorten(): void {
    const text = this.#text;
    const growing = findPublic(text).filter(({ end }) => end === text.length);
    if (growing.length === 0) return;
    const known = this.#redactor.known(text);
    const begins = this.#redactor.beginsAt(text);
    const until = Math.min(text.length - END, begins);
    const isArmoured = growing.some(({ name }) => name === 'private key');
    const start = Math.max(known.at(-1)?.end ?? 0, ...growing.map((secret) => secret.start));
    let from = start + (isArmoured ? ARMOURED : BEGINNING);
    // The lines of a key in armour stay as they are, but for one that goes on.
    let line = until;
    while (line > from && !/[\s\\]/.test(text.charAt(line - 1))) line -= 1;
    if (line > from) from = line + LINE;
    if (until - from < LEFT_OUT) return;
    const dots = '.'.repeat(Math.min(DOTS, text.slice(from, until).split('.').length - 1));
    const shortened = text.slice(0, from) + dots + text.slice(until);
    const shorter = text.length - shortened.length;
    // What is beside each other now may look like a value that is known.
    if (this.#redactor.known(shortened).length !== known.length) return;
    if (this.#redactor.beginsAt(shortened) !== begins - shorter) return;
    this.#text = shortened;
    if (this.#shown > from) this.#shown = Math.max(from, this.#shown - shorter);
  }
}

/** From where on the end of a text that goes on could be a part of a secret; its length if it is none. */
export const heldFrom = (text: string, redactor: Redactor): number =>
  Math.min(heldAfter(redactor.find(text), text, redactor), letterAt(text));

const heldAfter = (all: readonly FoundSecret[], text: string, redactor: Redactor): number => {
  const end = all.at(-1)?.end ?? 0;
  let growing = text.length;
  if (end === text.length) growing = all.at(-1)?.start ?? growing;
  else if (isRest(text, end)) growing = end;
  return Math.min(growing, redactor.beginsAt(text), openAt(text));
};

/** Checks whether the text ends with the rest, too short to be redacted yet, of a secret that a value stands in that is known. */
const isRest = (text: string, from: number): boolean =>
  from > 0 &&
  text.length - from < PIECE &&
  findPublic(text).some((place) => place.start < from && place.end === text.length);
