import type { AnyStateMachine, InspectionEvent, Observer, StateValue } from 'xstate';
import type { MediaPart } from '../content/part.ts';
import type { DeltaEvent } from './event.ts';
import type { NotedEvent } from './noted-event.ts';
import type { FieldSecret } from '../secrets/field-secret.ts';
import type { SentSource } from '../models/sent-request.ts';
import type { Approver } from '../people/approval-terms.ts';
import type { RunHandle } from '../runs/run-handle.ts';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import type { ContentOptions } from '../content/content-options.ts';
import type { Model, ModelSettings } from '../models/model.ts';
import type { Usage } from '../models/usage.ts';

/** An observer of a run: an XState inspector, or a run inspector that also receives the run itself. */
export type Inspect = ((event: InspectionEvent) => void) | Observer<InspectionEvent> | RunInspector;

/** Inspects runs, each as actors and as a run of troupe; `recorder()` of `troupe/inspect` is one. */
export interface RunInspector {
  /** Called when a run is about to start; returns the listener for XState's inspection events, or the one for turns, for which no XState actor is made. */
  inspects(run: InspectedRun): ((event: InspectionEvent) => void) | TurnListener;
}

/** Listens to the turns of the machines of a run. */
export interface TurnListener {
  /** An actor's machine has made a turn; what it asked for is not carried out yet. */
  turned(turn: InspectedTurn): void;
}

/** A turn of an actor's machine: references to its values, which never change. */
export interface InspectedTurn {
  readonly path: string;
  readonly machine: AnyStateMachine;
  /** The event that it answered to; undefined for its first turn. */
  readonly event: { readonly type: string } | undefined;
  readonly microsteps: readonly Microstep[];
  /** The state in which it rests after the turn, and its context there. */
  readonly value: StateValue;
  readonly context: object;
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly output: unknown;
}

/** A microstep: the answer to an event, or one without an event of its own (`always`). That into the initial states is none. */
export interface Microstep {
  /** The type of the event. */
  readonly on: string;
  /** XState's own objects of the transitions that were taken. */
  readonly arrows: readonly object[];
  readonly value: StateValue;
  readonly context: object;
}

/** A run, as its inspector sees it. */
export interface InspectedRun {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  /** Stands for the agent or team of its root where the run is forked. */
  readonly root: { readonly name: string };
  /** Its clock: ms since 1970. */
  now(): number;
  /** Calls `next` with each event as it is written; in a stored run, before the store has it. It is in parts, and its secrets are in it. */
  watch(next: (event: DeltaEvent | NotedEvent) => void): void;
  /**
   * Calls `next` with the time, in ms since 1970, each time that another process has continued the run: among its events, where the one before
   * it had got to.
   */
  resumed(next: (at: number) => void): void;
  /** Model requests and raw answers, by the key of the call, with the secrets in them; kept once `watch` is called. */
  readonly sentAsItWas: Pick<SentSource, 'requestOf' | 'answerOf'>;
  /** Redacts the secrets that the run knows by now; returns the same value if there are none in it. */
  redact<Value>(value: Value): Value;
  /**
   * Calls `next` with each secret that the run knows beside those of the environment: known ones at once, later ones
   * when they appear.
   */
  secrets(next: (secret: FieldSecret) => void): void;
  /** Reads the bytes of media of the run. Rejects with `content.missing` if its blob store does not have them. */
  readonly bytesOf: (part: MediaPart) => Promise<Uint8Array>;
  /** Returns the member at an address; undefined if there is none (any more). */
  memberAt(path: string): InspectedMember | undefined;
  /** The means to ask the models of the agent at an address; undefined if no agent is there (any more). */
  askerAt(path: string): ModelAsker | undefined;
  /** The reason why an open call cannot be made with these arguments; undefined where it can, or only the call can tell. */
  misfit(requestId: string, input: Json, by?: Approver): string | undefined;
  /** Handle to pause, step and message the run; absent for a replay of a finished run. */
  readonly handle?: RunHandle<unknown, unknown> | undefined;
}

/** An actor of a run. */
export interface InspectedMember {
  readonly name: string;
  readonly kind: 'agent' | 'team' | 'call';
  /** The address of the actor that it works for; absent for the root. */
  readonly parent?: string | undefined;
}

/** The means to ask the models of an agent apart from its run: it holds neither the run nor the actor, and charges nothing. */
export interface ModelAsker {
  readonly clock: Clock;
  /** The settings of the agent, with the values of all headers. */
  readonly settings: ModelSettings | undefined;
  readonly convert: ContentOptions['convert'];
  /** The agent's models, then those that were chosen for its run: as the run asks them. */
  models(): readonly Model[];
  /** The same as they were given: another run wraps them itself. */
  given(): readonly Model[];
  /**
   * One of them by its name, or any other, as the run would ask it.
   *
   * @throws {TroupeError} `model.unknown`; `model.missing` for an agent whose strategy has an engine in place of models.
   */
  named(name: string): Model;
  /** In US dollars; undefined if unknown. Loads the list of prices if it needs it. */
  costOf(model: Model, usage: Usage, answered?: string): Promise<number | undefined>;
}
