import type { AnyActorRef, Snapshot } from 'xstate';
import type { Definition } from '../define/definition.ts';
import type { Scope } from '../turn/quiet-scope.ts';
import type { MachineSnapshot } from '../turn/turn.ts';
import type { Chart, Dressing, FaceSnapshot } from './face-snapshot.ts';
import { bareSnapshot, chartOf, dressed, FACE, genuine } from './face-snapshot.ts';
import { Moved } from './moved.ts';

/** What a face needs of the run that it is of. */
export interface FaceHome {
  readonly isPaused: boolean;
  /** Checks whether a command would do anything now. */
  can(command: unknown): boolean;
  /** Carries out what an app sent to an actor; `path` is undefined for the root. */
  command(event: unknown, path: string | undefined): void;
  /** What is kept of a face for display. */
  keepFace(face: Face): KeptFace;
}

/** Where a machine stands: its snapshot is made when somebody looks at it. */
export interface Standing {
  readonly snapshot: MachineSnapshot | undefined;
}

/** Whose face it is. */
export interface FacePlan {
  readonly home: FaceHome;
  readonly path: string;
  readonly definition: Definition;
  readonly parent?: Face | undefined;
  readonly latest: Standing;
}

/** The face of an actor as it is kept, with those below it. */
export interface KeptFace extends Chart {
  readonly error: undefined;
  readonly children: Readonly<Record<string, KeptChild>>;
}

/** A child as it is kept; the form is XState's. */
export interface KeptChild {
  readonly src: string;
  readonly snapshot: Snapshot<unknown>;
}

/**
 * The face of one actor of a run: an XState actor that shows what the actor's machine came to.
 *
 * It owns the scope in which its XState actor lives, and the actors below it. It moves nothing.
 */
export class Face {
  readonly path: string;
  readonly definition: Definition;
  readonly home: FaceHome;
  /** Absent for the root. */
  readonly parent: Face | undefined;
  /** Where its XState actor lives; undefined until there is one, and once it is stopped. */
  scope: Scope | undefined;
  children: Readonly<Record<string, AnyActorRef>> = {};
  #latest: Standing;
  #over: { readonly output: unknown } | undefined;

  constructor({ home, path, definition, parent, latest }: FacePlan) {
    this.home = home;
    this.path = path;
    this.definition = definition;
    this.parent = parent;
    this.#latest = latest;
  }

  /** The machine's snapshot, as it stands now. */
  get latest(): MachineSnapshot {
    return this.#latest.snapshot ?? bareSnapshot(this.definition.machine);
  }

  /** The machine stands somewhere else by now. */
  stand(latest: Standing): void {
    this.#latest = latest;
  }

  get isShown(): boolean {
    return this.scope !== undefined;
  }

  /** What an app sees now, or saw when the machine was at `snapshot`. */
  snapshot(snapshot = this.latest): FaceSnapshot {
    const { home, children } = this;
    return dressed(genuine(this.definition.machine, snapshot), {
      face: this,
      children,
      isPaused: home.isPaused,
      can: (command) => this.#over === undefined && home.can(command),
      standing: this.#standing(snapshot),
    });
  }

  /** How the actor stands, where that is not how its machine does. */
  #standing({ status }: MachineSnapshot): Dressing['standing'] {
    if (this.#over !== undefined) return { status: 'done', output: this.#over.output };
    // A machine is done before its run is: tools are torn down, the last event is written.
    return this.parent === undefined && status !== 'active'
      ? { status: 'active', output: undefined }
      : undefined;
  }

  /** Shows an app what the machine came to by `cause`. */
  show(cause: { readonly type: string }, snapshot = this.latest): void {
    const self = this.scope?.self;
    if (self !== undefined && self.getSnapshot().status !== 'done')
      self.send(new Moved(cause, () => this.snapshot(snapshot)));
  }

  /** The run is over: this is its end. */
  end(output: unknown): void {
    this.over(output);
    this.show(ENDED);
  }

  /** The run was over before the actor was there. */
  over(output: unknown): void {
    this.#over = { output };
  }

  /** Starts the actors below it, as it is started. */
  startChildren(): void {
    for (const child of Object.values(this.children))
      if (child.getSnapshot().status !== 'done') child.start();
  }

  /** Stops the actors below it, as it is stopped. */
  stopChildren(): void {
    for (const child of Object.values(this.children)) this.scope?.stopChild(child);
  }

  /** Takes in children by their ids, and drops those that are undefined. */
  change(children: ReadonlyMap<string, AnyActorRef | undefined>): void {
    const all = Object.entries({ ...this.children, ...Object.fromEntries(children) });
    this.children = Object.fromEntries(
      all.filter((entry): entry is [string, AnyActorRef] => entry[1] !== undefined),
    );
  }

  /** What is kept of it for display. */
  keep(redact: (value: unknown) => unknown): KeptFace {
    const { status, output } = this.snapshot();
    const chart = chartOf(genuine(this.definition.machine, this.latest));
    const children = Object.entries(this.children).map(([id, child]) => [
      id,
      { src: typeof child.src === 'string' ? child.src : id, snapshot: child.getPersistedSnapshot() },
    ]);
    return {
      ...chart,
      status,
      output: redact(output),
      error: undefined,
      context: redact(chart.context),
      children: Object.fromEntries(children) as KeptFace['children'],
    };
  }
}

const ENDED = { type: 'troupe.ended' };

/** The face that a snapshot is of. */
export const faceOf = (snapshot: object): Face | undefined => {
  const found = (snapshot as FaceSnapshot)[FACE];
  return found instanceof Face ? found : undefined;
};
