import { RecentTexts } from '../../base/collections/recent-texts.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import type { Entry, NewEntry } from './entry.ts';
import { asJson, entryLine, fittedTableau } from './fitted.ts';
import type { TableauData } from './tableau.ts';
import { Tableau } from './tableau.ts';

/** A follower of a recording. Lines are JSON, with secrets redacted. */
export interface Follower {
  /** An entry was added; its line is made at once. */
  entry?(line: string, n: number): void;
  /** An entry was added, whose line is made when it is read. */
  grew?(): void;
  /** The oldest entries are about to be dropped: they can be read for the last time. */
  forgets?(): void;
  /** A piece of a model's answer; it is in no recording. */
  delta?(line: string): void;
}

/** The needs of a recording. */
export interface RecordingSetup {
  /** Entries that are kept, at least 1. */
  readonly capacity: number;
  /** The actors before the first entry. Default: none. */
  readonly base?: TableauData | undefined;
  /** The secrets that are known by now. Default: none, for what is redacted already. */
  readonly secrets?: (() => Redactor) | undefined;
  /** Notified of each entry, after all followers. */
  readonly onAdded?: ((entry: NewEntry) => void) | undefined;
  /** A follower threw; it is left out from then on. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The entries of a recording, as far back as they are kept; older ones are folded into `base`.
 *
 * I1  `base`, taken further by all entries that are kept, is the tableau at its end.
 * I2  An entry leaves only as a line with its secrets redacted. The line is made when somebody reads it, once for all who read it then: of
 *     an entry that nobody reads there are references alone.
 */
export class Recording {
  readonly #setup: RecordingSetup;
  readonly #followers = new Set<Follower>();
  readonly #base: Tableau;
  #entries: NewEntry[] = [];
  #first: number;
  readonly #recent = new RecentTexts();
  /** Entries that are held back, in parts. */
  readonly #held: NewEntry[][] = [];

  constructor(setup: RecordingSetup) {
    this.#setup = setup;
    this.#base = setup.base === undefined ? new Tableau() : Tableau.from(setup.base);
    this.#first = this.#base.length;
  }

  /** The number of entries in all. */
  get length(): number {
    return this.#first + this.#entries.length;
  }

  /** The first that is still there. */
  get first(): number {
    return this.#first;
  }

  /** The secrets that are redacted in what is shown from now on. */
  get secrets(): Redactor {
    return this.#setup.secrets?.() ?? NO_SECRETS;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  add(entry: NewEntry): void {
    const part = this.#held.at(-1);
    if (part === undefined) this.#addNow(entry);
    else part.push(entry);
  }

  /** Begins a part of entries that are held back: nobody is shown them before it is released. */
  hold(): void {
    this.#held.push([]);
  }

  /** Adds the entries of the oldest part. */
  release(): void {
    for (const entry of this.#held.shift() ?? []) this.#addNow(entry);
  }

  #addNow(entry: NewEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length >= 2 * this.#setup.capacity) this.#forgetSome();
    const place = this.length - 1;
    this.#tell((follower) => {
      follower.entry?.(this.lineAt(place) ?? '', place);
      follower.grew?.();
    });
    this.#setup.onAdded?.(entry);
  }

  delta(event: DeltaEvent): void {
    if (!this.isFollowed) return;
    const line = this.line(event);
    this.#tell((follower) => follower.delta?.(line));
  }

  /** All actors as they were before the first entry that is kept, as JSON. */
  base(): string {
    return this.line(fittedTableau(this.#base.toJSON()));
  }

  /** The entries from a place on, as far as they are kept. */
  *from(n = 0): Generator<string> {
    for (let place = Math.max(n, this.#first); place < this.length; place += 1) {
      // Entries may be discarded during the read.
      const line = this.lineAt(place);
      if (line !== undefined) yield line;
    }
  }

  /** The line of the entry at a place; undefined if it is not kept, or not there yet. */
  lineAt(place: number): string | undefined {
    const entry = this.#entries[place - this.#first];
    return entry && this.#recent.at(place, () => entryLine(this.#redacted(entry), place));
  }

  /** Makes lines anew: there are more secrets to be redacted than before. */
  renewLines(): void {
    this.#recent.clear(this.length);
  }

  /** Subscribes to entries from now on; returns the unsubscription. */
  follow(follower: Follower): () => void {
    this.#followers.add(follower);
    return () => {
      this.#followers.delete(follower);
    };
  }

  /** A value as JSON, with secrets redacted. */
  line(value: unknown): string {
    return asJson(this.#redacted(value));
  }

  #redacted<Value>(value: Value): Value {
    return this.#setup.secrets?.().value(value) ?? value;
  }

  #tell(say: (follower: Follower) => void): void {
    for (const follower of this.#followers)
      try {
        say(follower);
      } catch (error) {
        this.#followers.delete(follower);
        this.#setup.onFailure(error);
      }
  }

  /** Keeps of all entries only what they came to. */
  foldAll(): void {
    this.#fold(this.#entries.length);
  }

  /** Discards as many at once as are kept, so that each costs little. */
  #forgetSome(): void {
    this.#fold(this.#entries.length - this.#setup.capacity);
  }

  #fold(count: number): void {
    this.#tell((follower) => {
      follower.forgets?.();
    });
    for (const entry of this.#entries.slice(0, count)) {
      this.#base.apply(numberEntry(entry, this.#first));
      this.#first += 1;
    }
    this.#entries = this.#entries.slice(count);
  }
}

const NO_SECRETS = new Redactor({});

/** An entry at its place. */
const numberEntry = (entry: NewEntry, n: number): Entry => ({ n, ...entry });
