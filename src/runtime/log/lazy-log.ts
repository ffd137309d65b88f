import { freezeJson } from '../../contracts/freeze-json.ts';
import type { EventBody, RuntimeEvent } from '../../contracts/event.ts';
import { EVENT_VERSION } from '../../contracts/event.ts';
import type { EventSource } from '../../events/event-source.ts';

/** Who says it: what the runtime adds to an event's content. */
export interface Speaker {
  readonly path: string;
  readonly agent: string;
}

/** Where and when events are said: one for all that are said in a row, of which there are two or three. */
interface Moment extends Speaker {
  readonly at: number;
  readonly step: number | undefined;
  readonly phase: string | undefined;
}

/** Takes out of an event what nobody may read. */
interface Redacting {
  event(event: RuntimeEvent): RuntimeEvent;
}

/**
 * The durable events of a run, kept as their parts: an event that nobody looks at is not built.
 *
 * Most runs are watched by nobody and read by few, and a step has some fifteen events: building them all was a third
 * of its cost, most of it garbage collection. What is read once is built once, and stays the same object: it is frozen, as is what it shares with the machine that
 * said it.
 */
export class LazyLog implements EventSource {
  readonly #runId: string;
  readonly #secrets: Redacting;
  readonly #bodies: EventBody[] = [];
  readonly #moments: Moment[] = [];
  readonly #built: (RuntimeEvent | undefined)[] = [];

  constructor(runId: string, secrets: Redacting) {
    this.#runId = runId;
    this.#secrets = secrets;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** Adds an event; gives its place. */
  push(
    body: EventBody,
    speaker: Speaker,
    step: number | undefined,
    phase: string | undefined,
    at: number,
  ): number {
    this.#moments.push(this.#momentOf(speaker, step, phase, at));
    return this.#bodies.push(body) - 1;
  }

  /** What was said, from `start` on: nothing is built for it. */
  bodies(start: number): readonly EventBody[] {
    return this.#bodies.slice(start);
  }

  at(index: number): RuntimeEvent | undefined {
    return this.#built[index] ?? this.#build(index);
  }

  /** Events from `start` on. */
  slice(start = 0): readonly RuntimeEvent[] {
    return this.#bodies.slice(start).flatMap((_, position) => this.at(start + position) ?? []);
  }

  /** Names, not the actor that bears them: a log that is kept must not keep what actors knew. */
  #momentOf(
    { path, agent }: Speaker,
    step: number | undefined,
    phase: string | undefined,
    at: number,
  ): Moment {
    const last = this.#moments.at(-1);
    const isSame =
      last !== undefined &&
      last.at === at &&
      last.step === step &&
      last.phase === phase &&
      last.path === path &&
      last.agent === agent;
    return isSame ? last : { path, agent, at, step, phase };
  }

  #build(index: number): RuntimeEvent | undefined {
    const moment = this.#moments[index];
    if (moment === undefined) return undefined;
    const { path, agent, at, step, phase } = moment;
    // A body with what is the same for every type is an event of its type.
    const said = {
      v: EVENT_VERSION,
      seq: index,
      at,
      runId: this.#runId,
      path,
      agent,
      ...(step === undefined ? undefined : { step }),
      ...(phase === undefined ? undefined : { phase }),
      ...this.#bodies[index],
    } as RuntimeEvent;
    const event = freezeJson(this.#secrets.event(said));
    this.#built[index] = event;
    return event;
  }
}
