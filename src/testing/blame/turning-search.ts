import type { ModelAnswer } from '../../contracts/models/model.ts';
import { findLatest } from './find-latest.ts';
import { findSmallest } from './find-smallest.ts';
import type { Point, Said } from './point.ts';
import { isSameSaid } from './point.ts';
import type { Trial, Trials } from './trials.ts';

/** The smallest change that turned a run. */
export interface Turning {
  readonly points: readonly Point[];
  /** A fork with this change alone, which does not fail. */
  readonly trial: Trial;
  /** The words in it, by key of the point. */
  readonly said: ReadonlyMap<string, Said>;
  /** Attempts at these points, and those of them that turned the run. */
  readonly turned: number;
  readonly of: number;
}

/** A change that turns a run less often than every third time is none to rest on. */
const SELDOM = 3;

/**
 * Looks for the smallest change that turns a failing run.
 *
 * 1. From which point on does everything have to be asked again? The latest such point is where the failure was decided: what comes after it
 *    could not mend it, and what comes before it need not change. Starts near the end are tried first, as they ask least.
 * 2. Of all that was said otherwise in that fork, how little is enough? All else is as on record, or follows from the change.
 * 3. How often does it turn the run? Where that is less than a third of the attempts, it was luck, perhaps: an earlier point is looked for,
 *    and the one that turns it more often is the answer.
 */
export class TurningSearch {
  readonly #trials: Trials;
  readonly #points: readonly Point[];
  readonly #samples: number;
  readonly #read: (trial: Trial) => Promise<ReadonlyMap<string, Said>>;
  /** Forks that turned, by the index of the point from which all was asked again, with what models said in them. */
  readonly #turned = new Map<number, { readonly trial: Trial; readonly known: Map<string, ModelAnswer> }>();
  /** Attempts so far, by index. */
  readonly #attempts = new Map<number, number>();

  constructor(
    trials: Trials,
    points: readonly Point[],
    samples: number,
    read: (trial: Trial) => Promise<ReadonlyMap<string, Said>>,
  ) {
    this.#trials = trials;
    this.#points = points;
    this.#samples = samples;
    this.#read = read;
  }

  async find(): Promise<Turning | undefined> {
    let best: Turning | undefined;
    let end = this.#points.length;
    while (end > 0) {
      const index = await findLatest(end, (from, isThorough) =>
        this.#turnsFrom(from, isThorough ? this.#samples : 1),
      );
      const found = index === undefined ? undefined : await this.#smallestFrom(index);
      if (index === undefined || found === undefined) break;
      if (best === undefined || found.turned * best.of > best.turned * found.of) best = found;
      if (found.turned * SELDOM >= found.of) break;
      end = index;
    }
    return best;
  }

  /** Asks everything from a point on again, until that turns the run. */
  async #turnsFrom(index: number, most: number): Promise<boolean> {
    const first = this.#attempts.get(index) ?? 0;
    for (let sample = first; sample < first + most; sample += 1) {
      if (this.#trials.isOver) return false;
      const known = new Map<string, ModelAnswer>();
      const trial = await this.#trials.try({ points: this.#points.slice(index), sample, known });
      this.#attempts.set(index, sample + 1);
      if (trial.hasTurned) {
        this.#turned.set(index, { trial, known });
        return true;
      }
      if (!trial.isOpen) return false;
    }
    return false;
  }

  async #smallestFrom(index: number): Promise<Turning | undefined> {
    const found = this.#turned.get(index);
    const [first] = this.#points.slice(index);
    if (found === undefined || first === undefined) return undefined;
    const { trial, known } = found;
    let said = await this.#read(trial);
    const changed = this.#points.slice(index).filter(({ key, recorded }) => {
      const now = said.get(key);
      return trial.given.get(key)?.isFirst === true && (now === undefined || !isSameSaid(recorded, now));
    });
    let smallest: Turning = { points: changed, trial, said, turned: 1, of: 1 };
    if (changed.length > 1) {
      const turns = async (points: readonly Point[]): Promise<boolean> => {
        const tried = await this.#trials.try({ points, given: trial.given, sample: 0, known });
        if (!tried.hasTurned) return false;
        said = await this.#read(tried);
        smallest = { points, trial: tried, said, turned: 1, of: 1 };
        return true;
      };
      const isAlone = changed.includes(first) && (await turns([first]));
      if (!isAlone) await findSmallest(changed, turns);
    }
    return this.#measure(smallest, known);
  }

  /** Asks again at the points of a change alone. */
  async #measure(found: Turning, known: Map<string, ModelAnswer>): Promise<Turning> {
    let { trial, said } = found;
    let [turned, of] = [0, 0];
    // Few attempts say little where they seldom turn it: then there are more.
    const isEnough = (): boolean => of >= this.#samples && turned * 2 >= of;
    for (let sample = 0; sample < this.#samples * SELDOM && !isEnough(); sample += 1) {
      if (this.#trials.isOver) break;
      const tried = await this.#trials.try({ points: found.points, sample, known });
      // What could not go on, or had nothing else to say, says nothing.
      const isTried = found.points.every(({ key }) => tried.given.has(key));
      if (tried.stopped === undefined && isTried) of += 1;
      if (tried.hasTurned) {
        turned += 1;
        if (turned === 1) [trial, said] = [tried, await this.#read(tried)];
      }
      if (!tried.isOpen) break;
    }
    return of === 0 ? found : { ...found, trial, said, turned, of };
  }
}
