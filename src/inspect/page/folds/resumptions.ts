import type { ResumedEntry } from '../../recording/entry.ts';
import { countBelow } from '../timeline.ts';

/** A place at which another process had continued a run. */
export type Resumption = Pick<ResumedEntry, 'n' | 'at' | 'actor' | 'isInterrupted'>;

/** The resumptions of one run, with an answer for any place of its recording. */
export class Resumptions {
  readonly #all: Resumption[] = [];
  readonly #places: number[] = [];

  take({ n, at, actor, isInterrupted }: ResumedEntry): void {
    this.#all.push({ n, at, actor, isInterrupted });
    this.#places.push(n);
  }

  /** Those before a place, in order. */
  at(length: number): readonly Resumption[] {
    return this.#all.slice(0, countBelow(this.#places, length));
  }
}

/** A resumption in words: work that was under way says that the process left the run in disorder. */
export const resumedWords = ({ isInterrupted }: Pick<Resumption, 'isInterrupted'>): string =>
  isInterrupted ? 'resumed after an interruption' : 'resumed by another process';

/** An interruption in a sentence. */
export const INTERRUPTION =
  'Its process was gone in the midst of work (a crash, or it was killed or stopped); another one resumed it from its journal';
