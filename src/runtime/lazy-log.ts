import type { EventBody, RuntimeEvent } from '../contracts/event.ts';
import { EVENT_VERSION } from '../contracts/event.ts';
import type { EventSource } from '../events/event-source.ts';

/** Who says it: what the runtime adds to an event's content. */
export interface Speaker {
  readonly path: string;
  readonly agent: string;
}

/**
 * The durable events of a run, kept as their parts: an event that nobody looks at is not built.
 *
 * Most runs are watched by nobody and read by few, and a step has some fifteen events: building them all was a third
 * of its cost, most of it garbage collection. What is read once is built once, and stays the same object.
 */
export class LazyLog implements EventSource {
  readonly #runId: string;
  readonly #bodies: EventBody[] = [];
  // Names, not the actors that bear them: a log that is kept must not keep what they knew.
  readonly #paths: string[] = [];
  readonly #agents: string[] = [];
  readonly #phases: (string | undefined)[] = [];
  // Plain numbers in arrays of their own take eight bytes each; -1 stands for no step.
  readonly #steps: number[] = [];
  readonly #times: number[] = [];
  readonly #built: (RuntimeEvent | undefined)[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  get length(): number {
    return this.#bodies.length;
  }

  push(
    body: EventBody,
    speaker: Speaker,
    step: number | undefined,
    phase: string | undefined,
    at: number,
  ): void {
    this.#bodies.push(body);
    this.#paths.push(speaker.path);
    this.#agents.push(speaker.agent);
    this.#phases.push(phase);
    this.#steps.push(step ?? -1);
    this.#times.push(at);
  }

  at(index: number): RuntimeEvent | undefined {
    return this.#built[index] ?? this.#build(index);
  }

  /** Events from `start` on. */
  slice(start = 0): readonly RuntimeEvent[] {
    return this.#bodies.slice(start).flatMap((_, position) => this.at(start + position) ?? []);
  }

  #build(index: number): RuntimeEvent | undefined {
    const path = this.#paths[index];
    const step = this.#steps[index] ?? -1;
    const phase = this.#phases[index];
    if (path === undefined) return undefined;
    // A body with what is the same for every type is an event of its type.
    const event = {
      v: EVENT_VERSION,
      seq: index,
      at: this.#times[index],
      runId: this.#runId,
      path,
      agent: this.#agents[index],
      ...(step < 0 ? undefined : { step }),
      ...(phase === undefined ? undefined : { phase }),
      ...this.#bodies[index],
    } as RuntimeEvent;
    this.#built[index] = event;
    return event;
  }
}
