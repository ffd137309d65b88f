import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { Composition } from '../../machines/diagrams/composition.ts';
import type { Breakpoint } from './breakpoint.ts';

/**
 * An entry of a recording, in order of occurrence: actors, their charts, the events that they received, how they
 * moved and what the runtime published about them. Read from a recording, it is plain JSON.
 */
export type Entry =
  | ChartEntry
  | ActorEntry
  | ReceivedEntry
  | MovedEntry
  | PublishedEntry
  | BreakEntry
  | ResumedEntry
  | GoneEntry;

interface Numbered {
  /** Its place in the recording, from 0. */
  readonly n: number;
  /** In ms since 1970, by the clock of the run. */
  readonly at: number;
}

/** A chart that actors of it refer to by its `chart`. */
export interface ChartEntry extends Numbered {
  readonly kind: 'chart';
  readonly chart: string;
  readonly shape: StateShape;
}

/** The role of an actor. Calls, questions and waits are effects of an agent; a recording shows them as actors below it. */
export type Role = 'team' | 'agent' | 'call' | 'model' | 'tool' | 'person' | 'wait' | 'other';

/** An actor starts. */
export interface ActorEntry extends Numbered {
  readonly kind: 'actor';
  /** Unique in the recording: the run's id and the address in it. */
  readonly actor: string;
  readonly run: string;
  readonly parent?: string | undefined;
  readonly name: string;
  readonly role: Role;
  readonly chart?: string | undefined;
  /** Of a run's root: its members and how work flows between them. A recording of events alone has none. */
  readonly composition?: Composition | undefined;
}

/** An actor takes an event. */
export interface ReceivedEntry extends Numbered {
  readonly kind: 'received';
  readonly actor: string;
  readonly from?: string | undefined;
  readonly event: { readonly type: string };
}

/** An actor is in other states than before, or has another context; for a chart with `always` arrows, one for each of them. */
export interface MovedEntry extends Numbered {
  readonly kind: 'moved';
  readonly actor: string;
  /** The type of the event that it answers to. */
  readonly on: string;
  /** The arrows that were taken, by their `id`; none where the actor begins. */
  readonly arrows: readonly string[];
  /** The innermost active states, by their `id`. */
  readonly states: readonly string[];
  /** The parts of its context that are new; all of it where the actor begins. */
  readonly patch?: Readonly<Record<string, unknown>> | undefined;
}

/** An event of the runtime, about the actor. Deltas are published live, and are in no recording. */
export interface PublishedEntry extends Numbered {
  readonly kind: 'published';
  readonly actor: string;
  readonly event: LiveEvent;
  /** At the end of a model call: the time in ms to the first piece of its answer; absent where its stream was not seen. */
  readonly firstMs?: number | undefined;
}

/** The run was paused: the entry before it met a breakpoint. */
export interface BreakEntry extends Numbered {
  readonly kind: 'break';
  readonly actor: string;
  readonly breakpoint: Breakpoint;
  /** In words. */
  readonly why: string;
}

/** Another process had continued the run here, whose root is the actor. */
export interface ResumedEntry extends Numbered {
  readonly kind: 'resumed';
  readonly actor: string;
  readonly run: string;
  /** True if work was under way, so that the process before left it in disorder; false if the run waited for a person, or for a time. */
  readonly isInterrupted: boolean;
}

/** An actor is over. */
export interface GoneEntry extends Numbered {
  readonly kind: 'gone';
  readonly actor: string;
  readonly status: GoneStatus;
  readonly output?: Json | undefined;
}

/** The end of an actor. */
export type GoneStatus = 'done' | 'failed' | 'stopped';

/** An entry before it has its place. */
export type NewEntry = Entry extends infer Each ? (Each extends Entry ? Omit<Each, 'n'> : never) : never;

/** A state of a chart, with the states in it and the arrows out of it. */
export interface StateShape {
  readonly id: string;
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly description?: string | undefined;
  /** Its initial states, by id. */
  readonly initial: readonly string[];
  readonly states: readonly StateShape[];
  readonly arrows: readonly ArrowShape[];
}

/** A way out of a state, or a reaction within it. */
export interface ArrowShape {
  readonly id: string;
  /** The type of event that it answers to; `''` where it is taken at once. */
  readonly event: string;
  readonly guard?: string | undefined;
  readonly targets: readonly string[];
  readonly actions: readonly string[];
}
