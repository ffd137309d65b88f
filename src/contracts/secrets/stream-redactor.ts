import type { FoundSecret } from './find-public.ts';
import type { Place } from './phrase-finder.ts';
import { letterAt, openAt } from './open-secret.ts';
import { PIECE, publicBeside, withoutKnown } from './redactor.ts';
import type { Redactor } from './redactor.ts';

/** Number of shown characters that are kept as context for what follows: the longest that a secret is recognised by, from `curl` to its user. */
const CONTEXT = 400;
/** Text that is held back longer than this is shown. */
const LONGEST_HELD = 40_000;
/** Least number of characters dropped at a time from a growing secret. */
const LEFT_OUT = 2_000;
/** Length sufficient to recognise a secret: every bounded part of a pattern is shorter. */
const BEGINNING = 2_100;
/** The same for a key in armour. */
const ARMOURED = 40_200;
/** Length of an end that may be the start of another secret. */
const END = 256;
/** Number of dots that a token of parts has after its first two parts. */
const DOTS = 3;
/** The shortest line of a key in armour. */
const LINE = 16;

/**
 * Redacts a text that arrives in pieces: an end that may be the start of a secret is held back until more arrives, so
 * that a secret is found wherever it is cut. The first letters of a key with a known prefix (`s` of `sk-`) are held
 * back, too. Takes time proportional to the text, however long a secret in it is.
 *
 * @example
 * const stream = new StreamRedactor(new Redactor({ API_KEY: 'sk-123456789' }));
 * stream.push('key=sk-12') + stream.push('3456789!') + stream.end() // => 'key=[redacted API_KEY]!'
 */
export class StreamRedactor {
  #redactor: Redactor;
  /** Text held back, after the last shown context. */
  #text = '';
  #shown = 0;
  /** Start of the secret at the end of the shown text that has already been marked as redacted. */
  #marked: number | undefined;
  /** True once text before the context was dropped. */
  #isCut = false;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** More is known from now on. */
  use(redactor: Redactor): void {
    this.#redactor = redactor;
  }

  /** Adds a piece; returns the text that can be shown now, which may be empty. */
  push(piece: string): string {
    this.#text += piece;
    const text = this.#text;
    const found = this.#find(text);
    const held = Math.max(holdAt(found, text, this.#redactor), this.#shown);
    const shown = this.#show(text.length - held > LONGEST_HELD ? text.length : held, found);
    const isGrowing = found.at(-1)?.end === text.length;
    if (isGrowing && this.#text.length > BEGINNING + LEFT_OUT + END) this.#shorten();
    return shown;
  }

  /**
   * Returns text that is held back only because it may be the first letters of a key: something else is about to be
   * shown after it.
   */
  release(): string {
    const text = this.#text;
    if (this.#shown === text.length) return '';
    const found = this.#find(text);
    return this.#show(Math.max(openSecretStart(found, text, this.#redactor), this.#shown), found);
  }

  /** Returns the rest: no more pieces follow. */
  end(): string {
    return this.#show(this.#text.length, this.#find(this.#text));
  }

  /** A context begins in the middle of a word, which is no beginning of a secret: those that are not over have context before them. */
  #find(text: string): readonly FoundSecret[] {
    const found = this.#redactor.find(text, this.#isCut);
    return this.#isCut ? found.filter(({ start }) => start > 0) : found;
  }

  #show(until: number, found: readonly FoundSecret[]): string {
    const text = this.#text;
    let shown = '';
    let from = this.#shown;
    let around = until;
    let marked = this.#marked;
    let first = 0;
    let last = -1;
    for (const { start, end, name } of found) {
      if (start !== last) first = start;
      last = end;
      // The rest of it is recognised by its own start, or by that of the line before it, and the text in front.
      if (start < until && end >= until) around = Math.min(around, first);
      if (end <= from || start >= until) continue;
      // Its start may have been shown before, verbatim or redacted.
      if (start !== marked) shown += `${text.slice(from, Math.max(from, start))}[redacted ${name}]`;
      marked = start;
      from = Math.min(end, until);
    }
    shown += text.slice(from, until);
    if (around > CONTEXT && found.length > 0) around = Math.min(around, this.#startAround(until));
    const kept = Math.max(0, around - CONTEXT);
    this.#marked = marked === undefined || marked < kept ? undefined : marked - kept;
    this.#text = text.slice(kept);
    this.#isCut ||= kept > 0;
    this.#shown = until - kept;
    return shown;
  }

  /**
   * Returns the start of a secret in which known values are, and whose parts beside them, some too short to be redacted, reach to `position`
   * or beyond it.
   */
  #startAround(position: number): number {
    const text = this.#text;
    const known = this.#redactor.known(text);
    if (known.length === 0) return position;
    const starts = publicBeside(known, text).map(({ start, end }) => (end < position ? position : start));
    return Math.min(position, ...starts);
  }

  /** Drops the middle of a growing secret, which would otherwise be examined again with each piece. */
  #shorten(): void {
    const text = this.#text;
    const known = this.#redactor.known(text);
    const growing = publicBeside(known, text).filter(({ end }) => end === text.length);
    if (growing.length === 0) return;
    const begins = this.#redactor.beginsAt(text);
    const until = Math.min(text.length - END, begins);
    const isArmoured = growing.some(({ name }) => name === 'private key');
    const start = Math.max(known.at(-1)?.end ?? 0, ...growing.map((secret) => secret.start));
    let from = start + (isArmoured ? ARMOURED : BEGINNING);
    // Complete lines of an armoured key are kept; only the last one may be growing.
    let line = until;
    while (line > from && !/[\s\\]/.test(text.charAt(line - 1))) line -= 1;
    if (line > from) from = line + LINE;
    if (until - from < LEFT_OUT) return;
    const dots = '.'.repeat(Math.min(DOTS, text.slice(from, until).split('.').length - 1));
    const shortened = text.slice(0, from) + dots + text.slice(until);
    const shorter = text.length - shortened.length;
    // The joined ends may look like a known value.
    if (this.#redactor.known(shortened).length !== known.length) return;
    if (this.#redactor.beginsAt(shortened) !== begins - shorter) return;
    this.#text = shortened;
    if (this.#shown > from) this.#shown = Math.max(from, this.#shown - shorter);
  }
}

/**
 * Returns the position from which the end of an unfinished text could be part of a secret; its length if there is none.
 */
export const holdStart = (text: string, redactor: Redactor): number =>
  holdAt(redactor.find(text), text, redactor);

/** The same from what was found, and the first letters of a key are held back, too. */
const holdAt = (found: readonly FoundSecret[], text: string, redactor: Redactor): number => {
  const unknown = withoutKnown(redactor.known(text), text);
  return Math.min(openSecretStart(found, text, redactor), letterAt(unknown));
};

const openSecretStart = (all: readonly FoundSecret[], text: string, redactor: Redactor): number => {
  const end = all.at(-1)?.end ?? 0;
  const known = redactor.known(text);
  const unknown = withoutKnown(known, text);
  let growing = text.length;
  if (end === text.length) growing = all.at(-1)?.start ?? growing;
  else if (isRest(text, end, known)) growing = end;
  const open = unknown === text ? openAt(text) : Math.min(openAt(text), openAt(unknown));
  return Math.min(growing, redactor.beginsAt(text), open);
};

/**
 * Checks whether the text ends with the remainder, too short to be redacted yet, of a secret that contains a known
 * value.
 */
const isRest = (text: string, from: number, known: readonly Place[]): boolean =>
  from > 0 &&
  text.length - from < PIECE &&
  publicBeside(known, text).some((place) => place.start < from && place.end === text.length);
