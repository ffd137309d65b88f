import { createActor } from 'xstate';
import type { AnyActorRef } from 'xstate';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import { childDefinition } from './child-definition.ts';
import type { FacePlan } from './face.ts';
import { Face } from './face.ts';
import { snapshotOf } from './face-snapshot.ts';
import type { KeptActor } from './kept-run.ts';
import { memberLogic } from './member-logic.ts';

/** The event that inspectors see for a change without an envelope. */
const CHILDREN = { type: 'troupe.children' };

/**
 * The faces of a run by address, and the XState actors that show them.
 *
 * I1 A parent is updated once for all children that came or went since its last update.
 */
export class Cast {
  readonly root: Face;
  readonly #faces = new Map<string, Face>();
  /** Children that came or went and are not shown yet, by parent. */
  readonly #changes = new Map<Face, Map<string, AnyActorRef | undefined>>();

  constructor(root: Face) {
    this.root = root;
    this.#faces.set(root.path, root);
  }

  get faces(): readonly Face[] {
    return [...this.#faces.values()];
  }

  at(path: string): Face | undefined {
    return this.#faces.get(path);
  }

  /** Adds a face without an actor. */
  add(plan: FacePlan): Face {
    const face = new Face(plan);
    this.#faces.set(face.path, face);
    return face;
  }

  /** Removes a face; its actor remains until `stop`. */
  remove({ path }: Face): void {
    this.#faces.delete(path);
  }

  /** Creates the actor of a face with the machine's past `snapshot`; the machine may have moved on. */
  engage(face: Face, snapshot: MachineSnapshot): void {
    const { parent, path: id, definition } = face;
    if (parent?.scope === undefined || face.isShown) return;
    const place = { parent: parent.scope.self, id, src: definition.name };
    const child = createActor(memberLogic(face, snapshot), place);
    child.start();
    this.#changed(parent).set(id, child);
  }

  /** Stops the actor of a face, unless it has ended. */
  stop(face: Face): void {
    const { parent, scope, path } = face;
    if (parent === undefined || scope === undefined) return;
    parent.scope?.stopChild(scope.self);
    face.scope = undefined;
    this.#changed(parent).set(path, undefined);
  }

  /** Creates the actors below a restored one, for display until the run is resumed. */
  restore(parent: Face, kept: KeptActor['children']): void {
    const { scope, home } = parent;
    if (scope === undefined) return;
    const children = new Map<string, AnyActorRef>();
    for (const [path, { src, chart, children: below }] of Object.entries(kept)) {
      const definition = childDefinition(parent.definition, src);
      if (definition === undefined) continue;
      const latest = snapshotOf(definition.machine, chart);
      const face = this.add({ home, path, definition, latest: { snapshot: latest }, parent });
      children.set(path, createActor(memberLogic(face, latest), { parent: scope.self, id: path, src }));
      this.restore(face, below);
    }
    parent.change(children);
  }

  /** Updates each parent whose children changed. */
  showChildren(): void {
    const changes = [...this.#changes];
    this.#changes.clear();
    for (const [parent, children] of changes) {
      parent.change(children);
      parent.show(CHILDREN);
    }
  }

  #changed(parent: Face): Map<string, AnyActorRef | undefined> {
    const known = this.#changes.get(parent) ?? new Map<string, AnyActorRef | undefined>();
    this.#changes.set(parent, known);
    return known;
  }
}
