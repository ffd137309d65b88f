import {
  appendFileSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isTroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { PRIVATE, PRIVATE_FOLDER } from '../../persistence/private-files.ts';
import { atProcessEnd } from '../traces/at-process-end.ts';
import type { AuditEntry } from './audit-entry.ts';
import { lineOf, withoutContent } from './audit-entry.ts';
import type { AuditFacts } from './audit-facts.ts';
import { factsOf } from './audit-facts.ts';
import { AuditFold } from './audit-fold.ts';
import type { Anchor } from './anchor.ts';
import { contentFile, contentLine, contentsIn, withContent } from './chain-content.ts';
import { lockChain, unlockChain } from './chain-lock.ts';
import type { BadLine, ChainHead } from './read-chain.ts';
import { genesisOf, headLine, readChain, tornDigest } from './read-chain.ts';

/** The file of a chain, its first line where it is new, and its anchor. */
export interface ChainPlace {
  readonly file: string;
  readonly head: ChainHead;
  readonly anchor: Anchor;
  /** The number of entries after which a head is anchored, whatever they are. */
  readonly anchorEvery: number;
}

/** Actions after which a head is anchored: what people decided, where a run may stop for long, and what takes content away. */
const ANCHORED: ReadonlySet<AuditEntry['action']> = new Set([
  'permission.ask',
  'permission.approve',
  'permission.grant',
  'permission.deny',
  'run.pause',
  'run.continue',
  'run.resume',
  'run.end',
  'audit.erase',
]);

/**
 * Writes one chain to its file: it only adds lines, and holds the file's lock until it is closed.
 *
 * I1 The content of an entry is written before the entry: no entry refers to content that was never there.
 * I2 After a failure the file is read again, and the next entry says how many are missing.
 */
export class AuditChain {
  readonly #file: string;
  readonly #anchor: Anchor;
  readonly #anchorEvery: number;
  readonly #fallback: ChainHead;
  #head: ChainHead;
  #fold: AuditFold;
  #torn: BadLine | undefined;
  /** Entries that would be there if nothing had failed. */
  #expected: number;
  #isBroken = false;
  /** The last entry written here, unless its head is anchored. */
  #unanchored: AuditEntry | undefined;

  private constructor({ file, head, anchor, anchorEvery }: ChainPlace) {
    this.#file = file;
    this.#anchor = anchor;
    this.#anchorEvery = anchorEvery;
    this.#fallback = head;
    [this.#head, this.#fold, this.#torn] = this.#read(false);
    this.#expected = this.#fold.tail.count;
    atProcessEnd.add(this);
  }

  /**
   * Opens the chain of a file, or begins it; undefined where another writer has it, it is of another run than the event, or no audit log.
   *
   * @throws what the file system refuses.
   */
  static open(place: ChainPlace, event?: RuntimeEvent): AuditChain | undefined {
    const { file } = place;
    mkdirSync(dirname(contentFile(file)), PRIVATE_FOLDER);
    if (lockChain(file) !== undefined) return undefined;
    try {
      const chain = new AuditChain(place);
      if (event === undefined || chain.#head.run === undefined || chain.#fold.fits(event)) return chain;
      chain.close();
      return undefined;
    } catch (thrown) {
      unlockChain(file);
      if (isTroupeError(thrown, 'trace.unreadable')) return undefined;
      throw thrown;
    }
  }

  /** Counts entries that were lost before it was opened. */
  miss(entries: number): void {
    this.#expected += entries;
  }

  /**
   * Writes the entries of an event.
   *
   * @throws what the file system refuses: the entries are lost, and counted.
   */
  take(event: RuntimeEvent, onBehalfOf?: string): void {
    this.#write(event.at, factsOf(event).length, () => this.#fold.take(event, onBehalfOf));
    // A process that suspends its run has no entry of that.
    if (event.type === 'run.ended') this.#anchorHead();
  }

  /** Writes an entry about the log itself. */
  note(facts: AuditFacts, at: number): void {
    this.#write(at, 1, () => [this.#noted(facts, at)]);
  }

  close(): void {
    atProcessEnd.delete(this);
    unlockChain(this.#file);
  }

  /** Called as the process ends. */
  endAtOnce(): void {
    unlockChain(this.#file);
  }

  #write(at: number, count: number, make: () => readonly AuditEntry[]): void {
    let lost = count;
    let written: readonly AuditEntry[] = [];
    try {
      if (this.#isBroken) [this.#head, this.#fold, this.#torn] = this.#read(true);
      const due = this.#due(at);
      const entries = make();
      lost = entries.length;
      written = [...due, ...entries];
      if (written.length === 0) return;
      append(contentFile(this.#file), written.map(contentLine).join(''), true);
      const start = this.#torn === undefined ? '' : '\n';
      append(this.#file, start + written.map((entry) => `${lineOf(withoutContent(entry))}\n`).join(''));
    } catch (thrown) {
      this.#expected += lost;
      this.#isBroken = true;
      throw thrown;
    }
    this.#isBroken = false;
    this.#torn = undefined;
    this.#expected = this.#fold.tail.count;
    this.#unanchored = written.at(-1);
    const isDue = ({ seq, action }: AuditEntry): boolean =>
      seq % this.#anchorEvery === 0 || ANCHORED.has(action);
    if (written.some(isDue)) this.#anchorHead();
  }

  /** Entries about what went wrong before: a line that was cut off, and entries that are missing. */
  #due(at: number): readonly AuditEntry[] {
    const torn = this.#torn;
    const missed = this.#expected - this.#fold.tail.count;
    const repair =
      torn === undefined ? [] : [about('audit.repair', { torn: tornDigest(torn), line: torn.line })];
    const miss = missed > 0 ? [about('audit.miss', { entries: missed })] : [];
    return [...repair, ...miss].map((facts) => this.#noted(facts, at));
  }

  #noted(facts: AuditFacts, at: number): AuditEntry {
    return this.#fold.note(facts, { at, runId: this.#head.run ?? '' });
  }

  #anchorHead(): void {
    const last = this.#unanchored;
    if (last === undefined) return;
    this.#anchor({ chain: this.#head.chain, count: last.seq + 1, head: last.hash, at: last.at });
    // After it: one that failed is anchored with the next.
    this.#unanchored = undefined;
  }

  /** Reads what is there; begins the file where there is none. */
  #read(isOurs: boolean): [ChainHead, AuditFold, BadLine | undefined] {
    const file = this.#file;
    if (!existsSync(file))
      writeFileSync(file, `${headLine(this.#fallback)}\n`, { flag: 'wx', mode: PRIVATE });
    const { head, entries, torn } = readChain(readFileSync(file, 'utf8'), file);
    const apart = contentFile(file);
    const content = existsSync(apart) ? readFileSync(apart, 'utf8') : '';
    // A line that was cut off there is no entry's.
    if (content !== '' && !content.endsWith('\n')) append(apart, '\n');
    const { found: contents } = contentsIn(content);
    const known = entries.map((entry) => withContent(entry, contents));
    return [head, new AuditFold(genesisOf(head), known, isOurs), torn];
  }
}

const about = (action: AuditFacts['action'], details: AuditFacts['details']): AuditFacts => ({
  action,
  outcome: 'failure',
  details,
});

/** Adds to a file that is there, or may be made: one that was removed meanwhile is not begun in the middle. */
const append = (file: string, text: string, mayBeMade = false): void => {
  if (text === '') return;
  if (mayBeMade) {
    appendFileSync(file, text, { mode: PRIVATE });
    return;
  }
  const descriptor = openSync(file, constants.O_WRONLY | constants.O_APPEND);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
};
