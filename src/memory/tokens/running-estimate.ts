import type { History } from '../../base/collections/history.ts';
import { append, emptyHistory, HistoryView } from '../../base/collections/history.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { TurnCounter } from './count-tokens.ts';

/** The cut of a conversation: its position, the remaining turns, and their size. */
export interface CutBase {
  /** Number of turns of the history that `shown` replaces. */
  readonly upTo: number;
  readonly shown: History<Turn>;
  readonly tokens: number;
}

const WHOLE: CutBase = { upTo: 0, shown: emptyHistory<Turn>(), tokens: 0 };

/** Follows a growing history: counts new turns, and appends them to the cut conversation. */
export class RunningEstimate {
  /** Of the shown conversation. */
  tokens: number;
  /** The shown conversation, after a cut. */
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
