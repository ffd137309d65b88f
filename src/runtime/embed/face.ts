import type { AnyActorRef, Snapshot } from 'xstate';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { Definition } from '../define/definition.ts';
import type { Scope } from '../turn/quiet-scope.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import type { Chart, Dressing, Ending, FaceSnapshot } from './face-snapshot.ts';
import { bareSnapshot, chartOf, dressSnapshot, FACE, genuine } from './face-snapshot.ts';
import { Moved } from './moved.ts';

/** The calls that a face needs of its run. */
export interface FaceHome {
  readonly isPaused: boolean;
  /** Open requests to people, oldest first; the same array while nothing changes. */
  readonly requests: readonly OpenRequest[];
  /** Checks whether a command would have an effect now. */
  can(command: unknown): boolean;
  /** Executes a command that an app sent to an actor; `path` is undefined for the root. */
  command(event: unknown, path: string | undefined): void;
  /** The persisted form of a face, for display. */
  keepFace(face: Face): KeptFace;
}

/** The position of a machine: its snapshot is created on access. */
export interface Standing {
  readonly snapshot: MachineSnapshot | undefined;
}

/** The identity of a face that is being created. */
export interface FacePlan {
  readonly home: FaceHome;
  readonly path: string;
  readonly definition: Definition;
  readonly parent?: Face | undefined;
  readonly latest: Standing;
}

/** The persisted face of an actor, with those below it. */
export interface KeptFace extends Chart {
  readonly error: undefined;
  readonly children: Readonly<Record<string, KeptChild>>;
}

/** A persisted child, in XState's form. */
export interface KeptChild {
  readonly src: string;
  readonly snapshot: Snapshot<unknown>;
}

/**
 * The face of one actor of a run: an XState actor that shows the state of the actor's machine.
 *
 * It owns the scope of its XState actor and the actors below it. It moves nothing.
 */
export class Face {
  readonly path: string;
  readonly definition: Definition;
  readonly home: FaceHome;
  /** Absent for the root. */
  readonly parent: Face | undefined;
  /** The scope of its XState actor; undefined before it exists and after it is stopped. */
  scope: Scope | undefined;
  children: Readonly<Record<string, AnyActorRef>> = {};
  #latest: Standing;
  #over: { readonly output: unknown } | undefined;
  /** All who follow the actor have received its end. */
  isEndKnown = false;

  constructor({ home, path, definition, parent, latest }: FacePlan) {
    this.home = home;
    this.path = path;
    this.definition = definition;
    this.parent = parent;
    this.#latest = latest;
  }

  /** The machine's current snapshot. */
  get latest(): MachineSnapshot {
    return this.#latest.snapshot ?? bareSnapshot(this.definition.machine);
  }

  /** Sets the machine's current position. */
  stand(latest: Standing): void {
    this.#latest = latest;
  }

  get isShown(): boolean {
    return this.scope !== undefined;
  }

  /** The app's view now, or of the machine's past `snapshot`. */
  snapshot(snapshot = this.latest): FaceSnapshot {
    const { home, children } = this;
    return dressSnapshot(genuine(this.definition.machine, snapshot), {
      face: this,
      children,
      isPaused: home.isPaused,
      requests: this.#over === undefined ? home.requests : NONE,
      can: (command) => this.#over === undefined && home.can(command),
      standing: this.#standing(snapshot),
    });
  }

  /** The actor's status, if it differs from its machine's. */
  #standing({ status }: MachineSnapshot): Dressing['standing'] {
    if (this.#over !== undefined) return { status: 'done', ...this.#ended(this.#over.output, status) };
    // A machine is done before its run is: toolsets are torn down and the last event is written in between.
    return this.parent === undefined && status !== 'active'
      ? { status: 'active', output: undefined }
      : undefined;
  }

  /** The outcome, and the end that it is where the machine did not get to one: a run that could not be restored has failed. */
  #ended(
    output: unknown,
    status: MachineSnapshot['status'],
  ): Pick<FaceSnapshot, 'output'> & { value?: string } {
    const end: unknown = Reflect.get(Object(output), 'status');
    const { states } = this.definition.machine.config;
    const isEnd = typeof end === 'string' && states?.[end]?.type === 'final';
    return status === 'active' && isEnd ? { output, value: end } : { output };
  }

  /** Shows the state that the machine reached by `cause`. */
  show(cause: { readonly type: string }, snapshot = this.latest): void {
    const self = this.scope?.self;
    if (self !== undefined && self.getSnapshot().status !== 'done')
      self.send(new Moved(cause, () => this.snapshot(snapshot)));
  }

  /** Ends the face with the run's outcome. */
  end(output: unknown): void {
    this.#over = { output };
    this.show(ENDED);
    this.isEndKnown = true;
  }

  /** Sets the outcome of a run that ended before the actor existed. */
  over(output: unknown): void {
    this.#over = { output };
    this.isEndKnown = true;
  }

  /** Starts the actors below it. */
  startChildren(): void {
    for (const child of Object.values(this.children))
      if (child.getSnapshot().status !== 'done') child.start();
  }

  /** Stops the actors below it. */
  stopChildren(): void {
    for (const child of Object.values(this.children)) this.scope?.stopChild(child);
  }

  /** Adds children by id, and removes those that are undefined. */
  change(children: ReadonlyMap<string, AnyActorRef | undefined>): void {
    const all = Object.entries({ ...this.children, ...Object.fromEntries(children) });
    this.children = Object.fromEntries(
      all.filter((entry): entry is [string, AnyActorRef] => entry[1] !== undefined),
    );
  }

  /** The persisted form, for display. */
  keep(redact: (value: unknown) => unknown, { status, output }: Ending = this.snapshot()): KeptFace {
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

const NONE: readonly OpenRequest[] = [];
const ENDED = { type: 'troupe.ended' };

/** The face of a snapshot. */
export const faceOf = (snapshot: object): Face | undefined => {
  const found = (snapshot as FaceSnapshot)[FACE];
  return found instanceof Face ? found : undefined;
};
