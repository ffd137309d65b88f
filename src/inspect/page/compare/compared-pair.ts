import type { RunComparison, Side, Sides } from '../../../runtime/journal/replay/compared-runs.ts';
import { ComparedRuns } from '../../../runtime/journal/replay/compared-runs.ts';
import type { Entry } from '../../recording/entry.ts';
import { RunEvents } from './run-events.ts';

export const bothSides: readonly Side[] = ['left', 'right'];

/** Two runs that are compared as entries of them arrive, from one recording or from two. */
export class ComparedPair {
  readonly #sides: Record<Side, RunEvents>;
  #compared = new ComparedRuns();
  #known: RunComparison | undefined;

  constructor(runs: Sides<string>) {
    this.#sides = { left: new RunEvents(runs.left), right: new RunEvents(runs.right) };
  }

  /** The events of both. */
  get sides(): Sides<RunEvents> {
    return this.#sides;
  }

  /** The comparison as far as both are known: made again only if one has grown. */
  get comparison(): RunComparison {
    return (this.#known ??= this.#compared.comparison);
  }

  take(side: Side, entry: Entry): void {
    const events = this.#sides[side];
    const became = events.take(entry);
    if (became === 'ignored') return;
    this.#known = undefined;
    if (became === 'replaced') this.#compareAgain();
    else if (events.last !== undefined) this.#compared.take(side, events.last);
  }

  /** Forgets one side: its recording is sent from the start. */
  restart(side: Side): void {
    this.#sides[side] = new RunEvents(this.#sides[side].run);
    this.#compareAgain();
  }

  #compareAgain(): void {
    this.#known = undefined;
    this.#compared = new ComparedRuns();
    for (const side of bothSides) for (const event of this.#sides[side].all) this.#compared.take(side, event);
  }
}
