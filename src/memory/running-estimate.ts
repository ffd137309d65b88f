import type { History } from '../contracts/history.ts';
import { append, emptyHistory, HistoryView } from '../contracts/history.ts';
import type { Turn } from '../contracts/transcript.ts';
import type { TurnCounter } from './count-tokens.ts';

/** Where a conversation was cut, what was left of it, and how long that is. */
export interface CutBase {
  /** Turns of the history that `shown` stands for. */
  readonly upTo: number;
  readonly shown: History<Turn>;
  readonly tokens: number;
}

const WHOLE: CutBase = { upTo: 0, shown: emptyHistory<Turn>(), tokens: 0 };

/** Follows a growing history: counts what is new, and puts it behind what was cut. */
export class RunningEstimate {
  /** Of what is shown. */
  tokens: number;
  /** What is shown, where something was cut. */
  shown: History<Turn>;
  readonly #counter: TurnCounter;
  readonly #isCut: boolean;
  #length: number;
  #last: Turn | undefined;

  constructor(counter: TurnCounter, base: CutBase = WHOLE) {
    this.#counter = counter;
    this.#isCut = base !== WHOLE;
    this.#length = base.upTo;
    this.tokens = base.tokens;
    this.shown = base.shown;
  }

  /** Checks whether `history` is the one followed so far, perhaps longer. */
  continues(history: History<Turn>): boolean {
    if (history.length < this.#length) return false;
    return this.#last === undefined || new HistoryView(history).at(this.#length - 1) === this.#last;
  }

  follow(history: History<Turn>): void {
    if (history.length === this.#length) return;
    const view = new HistoryView(history);
    const fresh: Turn[] = [];
    for (; this.#length < history.length; this.#length += 1) {
      const turn = view.at(this.#length);
      if (turn === undefined) continue;
      this.tokens += this.#counter.size(turn);
      this.#last = turn;
      if (this.#isCut) fresh.push(turn);
    }
    if (fresh.length > 0) this.shown = append(this.shown, ...fresh);
  }
}
