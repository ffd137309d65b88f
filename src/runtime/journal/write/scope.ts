import type { DerivedEvents, DerivedEvent, KeptRecord } from '../replay/derived-events.ts';
import { withDerivedEvent } from '../replay/derived-events.ts';
import type { Ahead } from '../replay/ahead.ts';

/**
 * A part of a run that is recorded and replayed by itself: the run's own part, or a child run by an effect.
 *
 * Everything in a scope follows from its arrivals and their times, so it can be replayed without the others.
 */
export class Scope {
  readonly path: string;
  /** Absent in records of the run's own scope. */
  readonly name: string | undefined;
  /** Counts started jobs, finished jobs and published events: the position of an arrival. */
  tick = 0;
  /** Time of the last arrival: the only clock inside the scope. */
  now = 0;
  /** The rest of the replay; absent once the scope has passed the end of its records. */
  rerun: Rerun | undefined;

  constructor(path: string, isRoot: boolean) {
    this.path = path;
    this.name = isRoot ? undefined : path;
  }
}

/** A job that is deferred while its scope is replayed. */
export interface KeptJob {
  /** Runs the job now. */
  readonly work: () => void;
  /** Leaves the job to the run's queue. */
  readonly leave: () => void;
}

/** The records of a scope's replay, and the deferred jobs that follow from them. */
export class Rerun {
  readonly jobs: KeptJob[] = [];
  /** Present if the replay waits for more records at their end. */
  readonly ahead: Ahead | undefined;
  #records: readonly KeptRecord[];
  #at = 0;
  /** Progress within the row of derived events that is next. */
  #followed: DerivedEvents | undefined;

  constructor(records: readonly KeptRecord[], ahead?: Ahead) {
    this.#records = records;
    this.ahead = ahead;
  }

  get next(): KeptRecord | undefined {
    return this.#records[this.#at];
  }

  /** Records that are still to be replayed. */
  get rest(): readonly KeptRecord[] {
    return this.#records.slice(this.#at);
  }

  advance(): void {
    this.#at += 1;
  }

  /** Adds records that came later. */
  append(records: readonly KeptRecord[]): void {
    this.#records = [...this.rest, ...records];
    this.#at = 0;
  }

  /** Counts an event of the row that is next; false if the finished row has another checksum. */
  follow(event: DerivedEvent, next: DerivedEvents): boolean {
    const followed = withDerivedEvent(event, this.#followed);
    this.#followed = followed;
    if (followed.count < next.count) return true;
    this.#followed = undefined;
    this.advance();
    return followed.check === next.check;
  }
}

/** The scope's name in its records. */
export const nameOf = ({ name }: Scope): { readonly scope?: string } =>
  name === undefined ? {} : { scope: name };

/** The scope of a speaker; undefined unless it is an actor. */
export const scopeOf = (speaker: object & { readonly scope?: Scope | undefined }): Scope | undefined =>
  speaker.scope;
