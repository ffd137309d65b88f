import { TroupeError } from '../../contracts/errors/error.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import type { ChainedEntry } from './audit-entry.ts';
import { hashOf, lineOf, parseEntry } from './audit-entry.ts';
import type { AuditProblem } from './audit-problem.ts';

/** The first line of a chain. */
export interface ChainHead {
  /** Its name: of a run's own file the name of that. */
  readonly chain: string;
  /** The run that it is of; absent where a file has several. */
  readonly run?: string | undefined;
}

/** A line that is no entry. */
export interface BadLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A chain as far as it can be read, with all that is wrong with it. */
export interface ReadChain {
  readonly head: ChainHead;
  /** The hash that the first entry follows. */
  readonly genesis: string;
  readonly entries: readonly ChainedEntry[];
  readonly problems: readonly AuditProblem[];
  /** The last line, where its writer was cut off. */
  readonly torn: BadLine | undefined;
}

const VERSION = 1;

/** The first line of a chain, without its line feed. */
export const headLine = ({ chain, run }: ChainHead): string =>
  JSON.stringify({ troupe: 'audit', v: VERSION, chain, run });

export const genesisOf = (head: ChainHead): string => platformSha256(headLine(head));

/**
 * Reads a chain, and checks that each entry is as it was written and follows the one before it. Pure.
 *
 * @throws {TroupeError} `trace.unreadable` for a text that is no audit log, or one of a later version.
 */
export const readChain = (text: string, name: string): ReadChain => {
  const [first = '', ...lines] = text.split('\n');
  const head = headIn(first, name);
  const genesis = genesisOf(head);
  const reading = new Reading(genesis);
  const last = lines.pop();
  lines.forEach((line, index) => {
    reading.take({ line: index + 2, text: line });
  });
  const torn = last === undefined || last === '' ? undefined : { line: lines.length + 2, text: last };
  if (headLine(head) !== first) reading.problem('changed', 0, 'The first line was changed');
  reading.end(torn);
  return { head, genesis, entries: reading.entries, problems: reading.problems, torn };
};

/** Checks a chain line by line, and continues behind each problem. */
class Reading {
  readonly entries: ChainedEntry[] = [];
  readonly problems: AuditProblem[] = [];
  #next = 0;
  #prev: string;
  #bad: BadLine | undefined;

  constructor(genesis: string) {
    this.#prev = genesis;
  }

  problem(kind: AuditProblem['kind'], seq: number, message: string, line?: number): void {
    this.problems.push({ kind, seq, message, ...(line === undefined ? {} : { line }) });
  }

  take({ line, text }: BadLine): void {
    const entry = parseEntry(text);
    if (entry === undefined) {
      this.#unread();
      this.#bad = { line, text };
      return;
    }
    if (entry.action === 'audit.repair' && entry.details['torn'] === tornDigest(this.#bad))
      this.#bad = undefined;
    this.#unread();
    this.#check(entry, text, line);
    this.entries.push(entry);
    this.#next = entry.seq + 1;
    this.#prev = entry.hash;
  }

  /** Ends, perhaps with a line that its writer did not finish. */
  end(torn: BadLine | undefined): void {
    this.#unread();
    if (torn === undefined) return;
    const message = `The last line is cut off after ${this.#next === 0 ? 'the first line' : `entry ${this.#next - 1}`}: its writer was killed, or the disk was full`;
    this.problem('torn', this.#next, message, torn.line);
  }

  #unread(): void {
    if (this.#bad === undefined) return;
    const { line } = this.#bad;
    this.#bad = undefined;
    this.problem(
      'changed',
      this.#next,
      `Line ${line} is no entry, where entry ${this.#next} was to be`,
      line,
    );
  }

  #check(entry: ChainedEntry, text: string, line: number): void {
    const { prev, hash, ...facts } = entry;
    const { seq } = entry;
    const next = this.#next;
    if (seq > next) {
      const missing =
        seq - 1 === next ? `Entry ${next} is missing` : `Entries ${next} to ${seq - 1} are missing`;
      this.problem('missing', next, missing, line);
    } else if (seq < next)
      this.problem('order', next, `Entry ${seq} stands where entry ${next} was to be`, line);
    if (hash !== hashOf(prev, facts) || lineOf(entry) !== text)
      this.problem('changed', seq, `Entry ${seq} was changed`, line);
    else if (seq === next && prev !== this.#prev)
      this.problem(
        'foreign',
        seq,
        `Entry ${seq} does not follow ${seq === 0 ? 'the first line' : `entry ${seq - 1}`}: it is of another log, or one of the two was replaced`,
        line,
      );
  }
}

/** The digest by which an entry names the torn line before it. */
export const tornDigest = (torn: BadLine | undefined): string | undefined =>
  torn && platformSha256(torn.text);

const headIn = (line: string, name: string): ChainHead => {
  const written = parseJson(line);
  if (!isJsonObject(written) || written['troupe'] !== 'audit') {
    const found = JSON.stringify(line.slice(0, 60));
    throw unreadable(name, `it is no audit log: it begins with ${found}`);
  }
  const { v, chain, run } = written;
  if (v !== VERSION)
    throw unreadable(
      name,
      `it is of version ${JSON.stringify(v)}, and this release knows ${VERSION}: read it with the release that wrote it`,
    );
  if (typeof chain !== 'string' || (run !== undefined && typeof run !== 'string'))
    throw unreadable(name, 'its first line names no chain');
  return { chain, ...(run === undefined ? {} : { run }) };
};

/** The error for an audit log that cannot be read or written. */
export const unreadable = (name: string, reason: string, cause?: unknown): TroupeError =>
  new TroupeError('trace.unreadable', `Cannot read the audit log ${name} as ${reason}`, { cause });

const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
