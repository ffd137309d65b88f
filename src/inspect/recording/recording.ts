import { RecentTexts } from '../../base/collections/recent-texts.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import { Redactor } from '../../contracts/secrets/redactor.ts';
import type { NewEntry } from './entry.ts';
import { asJson, entryLine, fittedTableau } from './fitted.ts';
import { KeptItems } from './notes/kept-items.ts';
import type { Item } from './notes/note.ts';
import { isNote } from './notes/note.ts';
import { packItems } from './packs/pack-items.ts';
import type { PackText } from './packs/recent-packs.ts';
import { RecentPacks } from './packs/recent-packs.ts';
import type { TableauData } from './tableau.ts';
import { Tableau } from './tableau.ts';

/** A follower of a recording. Lines are JSON, with secrets redacted. */
export interface Follower {
  /** An entry was added; its line is made at once. */
  entry?(line: string, n: number): void;
  /** Entries were added, whose lines are made when they are read. */
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
  /** Notified of each entry from `judgeEach` on, after all followers. */
  readonly onAdded?: ((entry: NewEntry) => void) | undefined;
  /** A follower threw; it is left out from then on. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * The entries of a recording, as far back as they are kept; older ones are folded into `base`.
 *
 * I1  `base`, taken further by all entries that are kept, is the tableau at its end.
 * I2  An entry leaves only as text with its secrets redacted: as a line, or in a pack. The text is made when somebody reads it, once for all
 *     who read it then: of an entry that nobody reads there are references alone, and of those of a note not even the entry.
 */
export class Recording {
  readonly #setup: RecordingSetup;
  readonly #followers = new Set<Follower>();
  readonly #base: Tableau;
  readonly #items: KeptItems;
  readonly #recent = new RecentTexts();
  readonly #packs = new RecentPacks();
  /** Items that are held back, in parts. */
  readonly #held: Item[][] = [];
  #isJudged = false;

  constructor(setup: RecordingSetup) {
    this.#setup = setup;
    this.#base = setup.base === undefined ? new Tableau() : Tableau.from(setup.base);
    this.#items = new KeptItems(this.#base.length);
  }

  /** The number of entries in all. */
  get length(): number {
    return this.#items.length;
  }

  /** The first that is still there. */
  get first(): number {
    return this.#items.first;
  }

  /** The secrets that are redacted in what is shown from now on. */
  get secrets(): Redactor {
    return this.#setup.secrets?.() ?? NO_SECRETS;
  }

  get isFollowed(): boolean {
    return this.#followers.size > 0;
  }

  add(item: Item): void {
    const part = this.#held.at(-1);
    if (part === undefined) this.#addNow(item);
    else part.push(item);
  }

  /** Has `onAdded` notified of each entry from now on. */
  judgeEach(): void {
    this.#isJudged = true;
  }

  /** All actors as they are at its end. */
  tableau(): Tableau {
    const tableau = this.#base.copy();
    this.#items.fold(this.length, tableau);
    return tableau;
  }

  /** Begins a part of items that are held back: nobody is shown them before it is released. */
  hold(): void {
    this.#held.push([]);
  }

  /** Adds the items of the oldest part. */
  release(): void {
    for (const item of this.#held.shift() ?? []) this.#addNow(item);
  }

  #addNow(item: Item): void {
    // What is to be judged may be a reason to add something right after it.
    if (this.#isJudged && isNote(item)) for (const entry of item.entries()) this.#addOne(entry);
    else this.#addOne(item);
  }

  #addOne(item: Item): void {
    const place = this.#items.push(item);
    this.#tell((follower) => {
      if (follower.entry !== undefined)
        for (let each = place; each < this.#items.length; each += 1)
          follower.entry(this.lineAt(each) ?? '', each);
      follower.grew?.();
    });
    if (this.#isJudged && !isNote(item)) this.#setup.onAdded?.(item);
    const { capacity } = this.#setup;
    // As many at once as are kept, so that each costs little.
    while (this.length - this.first >= 2 * capacity) this.#fold(capacity);
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
    for (let place = Math.max(n, this.first); place < this.length; place += 1) {
      // Entries may be discarded during the read.
      const line = this.lineAt(place);
      if (line !== undefined) yield line;
    }
  }

  /** The line of the entry at a place; undefined if it is not kept, or not there yet. */
  lineAt(place: number): string | undefined {
    const entry = this.#items.entryAt(place);
    return entry && this.#recent.at(place, () => entryLine(this.#redacted(entry), place));
  }

  /** The entries from a place on as a pack, as far as one goes; undefined if that of the place is not kept, or not there yet. */
  packAt(place: number): PackText | undefined {
    const known = this.#packs.at(place);
    if (known !== undefined) return known;
    const made = packItems(this.#items.from(place), this.secrets);
    if (made !== undefined) this.#packs.add(made);
    return made;
  }

  /** Makes lines anew: there are more secrets to be redacted than before. */
  renewLines(): void {
    this.#recent.clear(this.length);
    this.#packs.clear();
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
    this.#fold(this.length - this.first);
  }

  #fold(count: number): void {
    this.#tell((follower) => {
      follower.forgets?.();
    });
    const end = this.first + count;
    this.#items.fold(end, this.#base);
    this.#items.dropTo(end);
  }
}

const NO_SECRETS = new Redactor({});
