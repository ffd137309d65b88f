import type { InspectionEvent, Observer } from 'xstate';
import type { LiveEvent } from './event.ts';
import type { FieldSecret } from './secrets/field-secret.ts';
import type { SentSource } from './sent-request.ts';
import type { RunHandle } from './run.ts';

/** What looks into a run: an XState inspector, or one that wants to know the run, too. */
export type Inspect = ((event: InspectionEvent) => void) | Observer<InspectionEvent> | RunInspector;

/** Looks into runs, each as an XState actor system and as a run of troupe; `recorder()` of `troupe/inspect` is one. */
export interface RunInspector {
  /** A run is about to begin: gives what is to be called with each inspection event of it. */
  inspects(run: InspectedRun): (event: InspectionEvent) => void;
}

/** A run, as an inspector is told of it. */
export interface InspectedRun {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  /** Its clock: ms since 1970. */
  now(): number;
  /** Calls `next` with each event as it is written: where the run is stored, before the store has it. */
  watch(next: (event: LiveEvent) => void): void;
  /** What models were sent, and gave, by the key of the call: of one that `watch` tells of. */
  readonly sent: SentSource;
  /** Calls `next` with each secret that the run knows beside those of the environment: at once, and as it becomes known. */
  secrets(next: (secret: FieldSecret) => void): void;
  /** Who is at an address; undefined where nobody is (any more). */
  memberAt(path: string): InspectedMember | undefined;
  /** By which it can be held, stepped and talked to; absent for a run that is over, and is gone through again. */
  readonly handle?: RunHandle<unknown, unknown> | undefined;
}

/** An actor of a run. */
export interface InspectedMember {
  readonly name: string;
  readonly kind: 'agent' | 'team' | 'call';
  /** The address of the actor that it works for; absent for the root. */
  readonly parent?: string | undefined;
}
