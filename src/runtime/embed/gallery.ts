import { createActor } from 'xstate';
import type { AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import type { Envelope } from '../turn/envelope.ts';
import type { Onlooker, Sight } from '../turn/onlooker.ts';
import type { Scope } from '../turn/quiet-scope.ts';
import { inertScope } from '../turn/quiet-scope.ts';
import type { Actor } from '../actors/actor.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';
import type { Turned } from '../turn/turn.ts';
import { bareSnapshot, genuine } from './face-snapshot.ts';
import { Moved } from './moved.ts';

/** Receives inspection events. */
export type Look = (event: InspectionEvent) => void;

/** The XState actor that inspectors see. */
interface Portrait {
  readonly ref: AnyActorRef;
  readonly scope: Scope;
  children: Readonly<Record<string, AnyActorRef>>;
}

/**
 * The faces of an inspected run that is not embedded: an XState actor per actor, which shows every move as it is made.
 *
 * Its inspector must not throw.
 */
export class Gallery implements Onlooker {
  readonly #look: Look;
  readonly #portraits = new Map<Actor, Portrait>();

  constructor(look: Look) {
    this.#look = look;
  }

  /** Shows a new actor; `move` makes its first turn in the scope that it is given. */
  begin(entry: Actor, move: (sight?: Sight) => Turned): Turned {
    const { sponsor, path, definition } = entry;
    const above = sponsor.kind === 'root' ? undefined : this.#portraits.get(sponsor.parent);
    const first: { turned?: Turned; scope?: Scope } = {};
    const logic = portraitLogic(definition.machine, (scope) => {
      first.scope = scope;
      first.turned = move({ scope: movingIn(scope) });
      return first.turned.record.snapshot ?? bareSnapshot(definition.machine);
    });
    const place = above === undefined ? { inspect: this.#look } : { parent: above.ref, src: definition.name };
    const ref = createActor(logic, { id: path, ...place });
    const { turned, scope } = first;
    if (turned === undefined || scope === undefined) return move({ scope: inertScope() });
    this.#portraits.set(entry, { ref, scope, children: {} });
    if (above !== undefined) above.children = { ...above.children, [path]: ref };
    ref.start();
    return turned;
  }

  /** Shows a turn; `move` makes it. */
  move(entry: Actor, envelope: Envelope, move: () => Turned): Turned {
    const portrait = this.#portraits.get(entry);
    if (portrait === undefined || portrait.ref.getSnapshot().status !== 'active') return move();
    let turned: Turned | undefined;
    const { machine } = entry.definition;
    const moved = new Moved(envelope, () => {
      turned = move();
      const { snapshot } = turned.record;
      return { ...genuine(machine, snapshot ?? bareSnapshot(machine)), children: portrait.children };
    });
    portrait.ref.send(moved);
    return turned ?? move();
  }

  /** Stops the face of an actor that is over. */
  stop(entry: Actor): void {
    const portrait = this.#portraits.get(entry);
    if (portrait === undefined) return;
    this.#portraits.delete(entry);
    const { sponsor, path } = entry;
    const above = sponsor.kind === 'root' ? undefined : this.#portraits.get(sponsor.parent);
    if (above === undefined) return;
    const { [path]: gone, ...others } = above.children;
    above.children = others;
    if (gone !== undefined) above.scope.stopChild(gone);
  }
}

/** A quiet scope that belongs to the actor of `scope`. */
const movingIn = ({ self, system }: Scope): Scope =>
  Object.create(inertScope(), { self: { value: self }, system: { value: system } }) as Scope;

const portraitLogic = (machine: AnyStateMachine, begin: (scope: Scope) => MachineSnapshot): AnyStateMachine =>
  Object.create(machine, {
    getInitialSnapshot: { value: begin },
    start: { value: () => undefined },
    transition: {
      value: (snapshot: MachineSnapshot, event: object): MachineSnapshot => Moved.next(event) ?? snapshot,
    },
  }) as AnyStateMachine;
