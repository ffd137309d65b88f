import type { Json } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import { sequenceDiagram } from '../verify/sequence-diagram.ts';

/** One thing that happened outside of the agents. */
export interface Teller {
  readonly by: 'model' | 'tool' | 'store' | 'process' | 'person' | 'caller' | 'clock';
  /** The address of the agent that it happened to, or what it is about. */
  readonly path: string;
  readonly does: string;
}

/** One thing that happened, with its time and the events that followed from it. */
export interface ToldMove extends Teller {
  /** Since the start of the run, by the virtual clock, in ms. */
  readonly atMs: number;
  /** True if the script says so; otherwise it is what a calm run does. */
  readonly isDecided: boolean;
  readonly events: readonly RuntimeEvent[];
}

/** The story of a run: everything that happened outside of its agents, in its order. */
export interface SimulatedStory {
  readonly moves: readonly ToldMove[];
  /** As a Mermaid sequence diagram. */
  readonly diagram: string;
}

/** Keeps what happens in a run, to tell it. */
export class Tale {
  readonly #startsAt: number;
  readonly #told: (Omit<ToldMove, 'events'> & { readonly seen: number })[] = [];
  #events: readonly RuntimeEvent[] = [];

  constructor(startsAt: number) {
    this.#startsAt = startsAt;
  }

  /** Follows the events of the process that has the run: those of a resumed one are the same from the first on. */
  follow(events: readonly RuntimeEvent[]): void {
    this.#events = events;
  }

  /** The events so far. */
  get events(): readonly RuntimeEvent[] {
    return this.#events;
  }

  tell(told: Teller, at: number, isDecided: boolean): void {
    this.#told.push({ ...told, atMs: at - this.#startsAt, isDecided, seen: this.#events.length });
  }

  /** The story, with the log of the run, and what was found in it. */
  story(log: readonly RuntimeEvent[], finding?: string): SimulatedStory {
    const moves = this.#told.map(({ seen, ...told }, index): ToldMove => {
      const next = this.#told[index + 1]?.seen ?? log.length;
      return { ...told, events: log.slice(seen, next) };
    });
    const path = log[0]?.path ?? '';
    return {
      moves,
      diagram: sequenceDiagram(moves, finding === undefined ? undefined : { path, text: finding }),
    };
  }
}

/** Characters of a value in a story. */
const SHOWN = 80;

/** A value in a story, shortened. */
export const brief = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
};

/** The answer of a model, in words. */
export const wordsOfAnswer = ({ text, calls, refusal }: ModelAnswer): string => {
  if (calls.length > 0)
    return `calls ${calls.map(({ name, input }) => `${name} ${brief(input)}`).join(' and ')}`;
  return refusal === undefined ? `answers ${brief(text)}` : 'refuses';
};
