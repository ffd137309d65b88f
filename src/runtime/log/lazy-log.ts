import { freezeJson } from '../../base/json/freeze-json.ts';
import type { EventBody, EventOf, RuntimeEvent } from '../../contracts/events/event.ts';
import type { EventMoment, NotedEvent } from '../../contracts/events/noted-event.ts';
import { builtEvent } from '../../contracts/events/noted-event.ts';
import type { EventSource } from '../../events/stream/event-source.ts';

/** The agent that an event is about: the runtime adds it to the event's content. */
export interface Speaker {
  readonly path: string;
  readonly agent: string;
}

/** Redacts the content of an event. */
interface Redacting {
  content(body: EventBody): EventBody;
}

/**
 * The durable events of a run, stored as parts: an event that nobody reads is not built.
 *
 * Most runs are watched by nobody, and a step has some fifteen events: building them all was a third of its cost, most of it garbage
 * collection. An event is built on first access and stays the same frozen object, sharing data with the machine that produced it.
 */
export class LazyLog implements EventSource {
  readonly #runId: string;
  readonly #secrets: Redacting;
  readonly #bodies: EventBody[] = [];
  readonly #moments: EventMoment[] = [];
  readonly #built: (RuntimeEvent | undefined)[] = [];
  /** Indexes of `memory.failed`, which a result reports: no result searches the whole log for them. */
  readonly #memoryFailures: number[] = [];

  constructor(runId: string, secrets: Redacting) {
    this.#runId = runId;
    this.#secrets = secrets;
  }

  get length(): number {
    return this.#bodies.length;
  }

  /** Appends an event and returns its index. Copies the speaker's names instead of keeping the actor: a retained log must not retain actors. */
  push(
    body: EventBody,
    { path, agent }: Speaker,
    step: number | undefined,
    phase: string | undefined,
    at: number,
  ): number {
    if (body.type === 'memory.failed') this.#memoryFailures.push(this.#bodies.length);
    const last = this.#moments.at(-1);
    const isSame =
      last !== undefined &&
      last.at === at &&
      last.step === step &&
      last.phase === phase &&
      last.path === path &&
      last.agent === agent;
    this.#moments.push(isSame ? last : { path, agent, at, step, phase });
    return this.#bodies.push(body) - 1;
  }

  /** Event bodies from `start` on, without building events. */
  bodies(start: number): readonly EventBody[] {
    return this.#bodies.slice(start);
  }

  /** The parts of an event, which is not built. */
  partsAt(seq: number): NotedEvent | undefined {
    const [moment, body] = [this.#moments[seq], this.#bodies[seq]];
    return moment && body && { seq, body, moment };
  }

  at(seq: number): RuntimeEvent | undefined {
    return this.#built[seq] ?? this.#build(this.partsAt(seq));
  }

  /** Events from `start` on. */
  slice(start = 0): readonly RuntimeEvent[] {
    return this.#bodies.slice(start).flatMap((_, position) => this.at(start + position) ?? []);
  }

  /** Events `memory.failed` from `start` on, in their order. */
  memoryFailures(start = 0): readonly EventOf<'memory.failed'>[] {
    const earlier = this.#memoryFailures.findLastIndex((index) => index < start);
    return this.#memoryFailures.slice(earlier + 1).flatMap((index) => {
      const event = this.at(index);
      return event?.type === 'memory.failed' ? [event] : [];
    });
  }

  /** The envelope stays as it is: only what is said is redacted. */
  #build(parts: NotedEvent | undefined): RuntimeEvent | undefined {
    if (parts === undefined) return undefined;
    const body = this.#secrets.content(parts.body);
    return (this.#built[parts.seq] = freezeJson(builtEvent(this.#runId, { ...parts, body })));
  }
}
