import type { AnyStateMachine, InspectionEvent } from 'xstate';
import type { Scope } from './quiet-scope.ts';
import { inertScope } from './quiet-scope.ts';
import type { Actor } from './stage.ts';

/** Takes what inspectors are told. */
export type Look = (event: InspectionEvent) => void;

/** What inspectors are shown in the place of an actor of XState, where machines are moved without any. */
interface Figure {
  readonly id: string;
  readonly sessionId: string;
  readonly logic: AnyStateMachine;
  readonly system: object;
  readonly _parent: Figure | undefined;
  /** Undefined until it has come to rest for the first time, as it is of XState's. */
  readonly getSnapshot: () => unknown;
}

const figures = new WeakMap<Actor, Figure>();

/**
 * A scope in which a machine that is moved by the pure turn is seen as if an actor of XState moved it: inspectors are told that it is
 * there, what it takes, and each step of its chart.
 */
export class InspectedScope {
  readonly #look: Look;
  readonly #figure: Figure;
  readonly #root: string;
  #snapshot: unknown;
  readonly scope: Scope;

  constructor(entry: Actor, look: Look) {
    const { sponsor, path, definition } = entry;
    const parent = sponsor.kind === 'root' ? undefined : figures.get(sponsor.parent);
    const system = { _sendInspectionEvent: (event: object) => this.#tell(event) };
    this.#look = look;
    const sessionId = `x:${path}`;
    const getSnapshot = (): unknown => this.#snapshot;
    this.#figure = { id: path, sessionId, logic: definition.machine, system, _parent: parent, getSnapshot };
    this.#root = `x:${path.split('/')[0] ?? path}`;
    figures.set(entry, this.#figure);
    // Its system is the one that would be inspected; nothing else of it is used by a machine without children.
    this.scope = Object.create(inertScope(), {
      self: { value: this.#figure },
      system: { value: system },
    }) as Scope;
    this.#tell({ type: '@xstate.actor', actorRef: this.#figure });
  }

  /** It is about to take an event. */
  takes(event: { readonly type: string }): void {
    this.#tell({ type: '@xstate.event', event, sourceRef: undefined, actorRef: this.#figure });
  }

  /** It has come to rest. */
  rests(snapshot: unknown, event: { readonly type: string }): void {
    this.#snapshot = snapshot;
    this.#tell({ type: '@xstate.snapshot', snapshot, event, actorRef: this.#figure });
  }

  #tell(event: object): void {
    // XState hands it over as its own.
    this.#look({ ...event, rootId: this.#root } as InspectionEvent);
  }
}
