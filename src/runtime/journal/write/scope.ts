import type { Followed, FollowingEvent, KeptRecord } from '../replay/followed.ts';
import { followedBy } from '../replay/followed.ts';

/**
 * A part of a run that is told apart in its journal: the run itself, or a child that an effect runs.
 *
 * What happens in a scope follows from what arrived in it, and when: so it can be gone through again without the others.
 */
export class Scope {
  readonly path: string;
  /** Absent in records of the run's own scope. */
  readonly name: string | undefined;
  /** Counts jobs begun, jobs done and events told of: says when something arrived. */
  tick = 0;
  /** When the last thing arrived: the only clock of what happens inside. */
  now = 0;
  /** What is still to be gone through again; absent where the scope is ahead of its journal. */
  rerun: Rerun | undefined;

  constructor(path: string, isRoot: boolean) {
    this.path = path;
    this.name = isRoot ? undefined : path;
  }
}

/** A job that waits while its scope is gone through again. */
export interface KeptJob {
  /** Does it now. */
  readonly work: () => void;
  /** Leaves it to the run's queue. */
  readonly leave: () => void;
}

/** Records that are gone through again, and the jobs that come of it. */
export class Rerun {
  readonly jobs: KeptJob[] = [];
  readonly #records: readonly KeptRecord[];
  #at = 0;
  /** What came so far of the events in a row that are next. */
  #followed: Followed | undefined;

  constructor(records: readonly KeptRecord[]) {
    this.#records = records;
  }

  get next(): KeptRecord | undefined {
    return this.#records[this.#at];
  }

  /** What is still to come. */
  get rest(): readonly KeptRecord[] {
    return this.#records.slice(this.#at);
  }

  advance(): void {
    this.#at += 1;
  }

  /** Takes one of the events in a row that are next; false if they were others than these. */
  follow(event: FollowingEvent, next: Followed): boolean {
    const followed = followedBy(event, this.#followed);
    this.#followed = followed;
    if (followed.count < next.count) return true;
    this.#followed = undefined;
    this.advance();
    return followed.check === next.check;
  }
}

/** A scope's name as its records bear it. */
export const nameOf = ({ name }: Scope): { readonly scope?: string } =>
  name === undefined ? {} : { scope: name };

/** The scope of whoever tells something, if it is an actor. */
export const scopeOf = (speaker: object & { readonly scope?: Scope | undefined }): Scope | undefined =>
  speaker.scope;
