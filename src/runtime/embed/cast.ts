import { createActor } from 'xstate';
import type { AnyActorRef } from 'xstate';
import type { MachineSnapshot } from '../turn/turn.ts';
import { childDefinition } from './child-definition.ts';
import type { FacePlan } from './face.ts';
import { Face } from './face.ts';
import { snapshotOf } from './face-snapshot.ts';
import type { KeptActor } from './kept-run.ts';
import { memberLogic } from './member-logic.ts';

/** As what inspectors see a change that no envelope made. */
const CHILDREN = { type: 'troupe.children' };

/**
 * The faces of a run, by their addresses, and the actors of XState that they are shown by.
 *
 * I1  A parent has one update for all children that came or went since the last one.
 */
export class Cast {
  readonly root: Face;
  readonly #faces = new Map<string, Face>();
  /** Children that came and went, by their parents, and are to be shown. */
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

  /** Takes in a face; there is no actor for it yet. */
  add(plan: FacePlan): Face {
    const face = new Face(plan);
    this.#faces.set(face.path, face);
    return face;
  }

  /** Forgets a face; its actor is there until `stop`. */
  remove({ path }: Face): void {
    this.#faces.delete(path);
  }

  /** Has an actor there for a face, as it was when its machine was at `snapshot`: it may be further by now. */
  engage(face: Face, snapshot: MachineSnapshot): void {
    const { parent, path: id, definition } = face;
    if (parent?.scope === undefined || face.isShown) return;
    const place = { parent: parent.scope.self, id, src: definition.name };
    const child = createActor(memberLogic(face, snapshot), place);
    child.start();
    this.#changed(parent).set(id, child);
  }

  /** Stops the actor of a face, where it has not ended by itself. */
  stop(face: Face): void {
    const { parent, scope, path } = face;
    if (parent === undefined || scope === undefined) return;
    parent.scope?.stopChild(scope.self);
    face.scope = undefined;
    this.#changed(parent).set(path, undefined);
  }

  /** Seats the actors below one that is restored, for display until the run is there. */
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

  /** Shows each parent once that has other children by now. */
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
