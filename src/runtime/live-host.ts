import { createActor } from 'xstate';
import type { AnyActorRef, AnyStateMachine, InspectionEvent } from 'xstate';
import { errorData } from '../contracts/error.ts';
import type { Outcome } from '../contracts/run.ts';
import { attachCarrier, carrierOf } from '../machines/outputs.ts';
import { underRules } from '../machines/rules.ts';
import { ActorEntry } from './actor-entry.ts';
import type { Definition } from './definition.ts';
import type { Scope } from './quiet-scope.ts';
import { holdingBack, quietScope } from './quiet-scope.ts';
import type { Envelope } from './envelope.ts';
import type { Actor, Host } from './stage.ts';
import { outcomeOfFailure } from './result.ts';

/** How XState tells a logic that its actor was stopped, and that a child ended; the runtime has ways of its own for both. */
const STOPPED = 'xstate.stop';
const OF_XSTATE = 'xstate.';

/** Actors of troupe: XState's own, with their entries. */
interface LiveActor {
  readonly ref: AnyActorRef;
  readonly scope: Scope;
  /** The scope in which its machine moves. */
  readonly moving: Scope;
}

/** An actor that is at home in somebody else's app. */
interface Guest {
  /** Takes what the app sends to the actor. */
  readonly obey: (event: { readonly type: string }) => void;
  /** How its machine ended, while the run is still to be brought to its end. */
  end: Snapshot | undefined;
}

/** On the entry itself: what a WeakMap holds survives every minor collection, and would take its run along. */
const LIVE = Symbol('troupe.live');

interface Living {
  [LIVE]?: LiveActor | undefined;
}

const liveOf = (actor: Actor): LiveActor | undefined => (actor as Living)[LIVE];

const guests = new WeakMap<AnyActorRef, Guest>();
const logics = new WeakMap<Definition, AnyStateMachine>();
/** The entry for which `createActor` is being called: its logic meets it in `getInitialSnapshot`. */
let arriving: { readonly entry: Actor; readonly isInspected: boolean } | undefined;
/** The envelope that is being delivered: any other event comes from outside. */
let delivering: Envelope | undefined;

/**
 * The logic of a definition's actors: its machine, which knows whose rules are in force, and whose end the run is told of.
 *
 * It inherits from the machine, so that inspectors see a statechart.
 */
export const logicOf = (definition: Definition, arrive?: ArriveFromOutside): AnyStateMachine => {
  const known = arrive === undefined ? logics.get(definition) : undefined;
  if (known !== undefined) return known;
  const { machine } = definition;
  const logic: AnyStateMachine = Object.create(machine, {
    getInitialSnapshot: {
      value: (scope: Scope, input: unknown) => {
        const arrival = arriving;
        const entry = arrival?.entry;
        arriving = undefined;
        if (entry === undefined && arrive !== undefined) {
          const guest = arrive(scope, input);
          settleIn(guest.entry, scope, scope);
          guests.set(scope.self, { obey: guest.obey, end: undefined });
          void guest.ended.then(() => {
            if (scope.self.getSnapshot().status === 'active') scope.self.send(new RunEnded());
            guest.leave();
          });
          return moved(definition, guest.entry, undefined, () =>
            machine.getInitialSnapshot(scope, guest.input),
          );
        }
        if (arrival !== undefined)
          settleIn(arrival.entry, scope, arrival.isInspected ? scope : quietScope(scope));
        return moved(definition, entry, undefined, () => {
          const moving = movingIn(entry, scope);
          return moving === scope
            ? machine.getInitialSnapshot(scope, input)
            : holdingBack(scope, () => machine.getInitialSnapshot(moving, input));
        });
      },
    },
    transition: {
      value: (snapshot: Snapshot, event: { type: string }, scope: Scope): Snapshot => {
        if (event.type.startsWith(OF_XSTATE))
          return event.type === STOPPED ? stopped(machine, snapshot, event, scope) : snapshot;
        const entry = entryOf(scope);
        if (event instanceof RunEnded)
          return guestOf(scope)?.end ?? ended(snapshot, brokenOutcome(machine, entry, RUNTIME_BROKE));
        // Answers come from the runtime alone: whoever else has the actor's reference can wish, not answer.
        if (entry !== undefined && event !== delivering) {
          guestOf(scope)?.obey(event);
          return snapshot;
        }
        return moved(definition, entry, snapshot, () =>
          machine.transition(snapshot, event, movingIn(entry, scope)),
        );
      },
    },
  });
  if (arrive === undefined) logics.set(definition, logic);
  return logic;
};

/** Called when somebody else's app starts an agent: makes the run that the actor is the root of. */
export type ArriveFromOutside = (
  scope: Scope,
  input: unknown,
) => {
  readonly entry: Actor;
  readonly input: unknown;
  readonly obey: Guest['obey'];
  /** Settles when the run's last event is out. */
  readonly ended: Promise<void>;
  /** Called when the app knows that it has. */
  readonly leave: () => void;
};

type Snapshot = ReturnType<AnyStateMachine['transition']>;

const settleIn = (entry: Actor, scope: Scope, moving: Scope): void => {
  (entry as Living)[LIVE] = { ref: scope.self, scope, moving };
  attachCarrier(scope.self, entry);
};

const movingIn = (entry: Actor | undefined, scope: Scope): Scope =>
  (entry === undefined ? undefined : liveOf(entry)?.moving) ?? scope;

const guestOf = (scope: Scope): Guest | undefined => guests.get(scope.self);

const entryOf = (scope: Scope): Actor | undefined => {
  const carrier = carrierOf(scope.self);
  return carrier instanceof ActorEntry ? carrier : undefined;
};

const RUNTIME_BROKE = new Error('the runtime broke');

/** A throw inside a turn is an end with an error, as data: it takes nobody else down. */
const brokenOutcome = (machine: AnyStateMachine, entry: Actor | undefined, thrown: unknown): Outcome => {
  const message = `Cannot go on as the machine '${machine.id}' threw`;
  const error = errorData(thrown, 'machine.threw', { message });
  return { ...outcomeOfFailure('machine.threw', error.message, entry?.run.log.now() ?? 0), error };
};

/** The first macrostep, or a later one; whatever ends in it, the run is told of. */
const moved = (
  { machine, rules }: Definition,
  entry: Actor | undefined,
  before: Snapshot | undefined,
  move: () => Snapshot,
): Snapshot => {
  let next: Snapshot;
  try {
    next = underRules(rules, move);
    // XState keeps what the first macrostep throws; had we left it there, it would go up to whoever is above.
    if (next.status === 'error') next = ended(next, brokenOutcome(machine, entry, next.error));
  } catch (thrown) {
    if (before === undefined) throw thrown;
    next = ended(before, brokenOutcome(machine, entry, thrown));
  }
  if (next.status !== 'done' || entry === undefined) return next;
  entry.run.over(entry, next.output);
  const ref = liveOf(entry)?.ref;
  const guest = ref === undefined ? undefined : guests.get(ref);
  if (guest === undefined) return next;
  // An app around it learns of the end once the run is through: what was set up is torn down, the last event is out.
  guest.end = next;
  return { ...next, status: 'active', output: undefined } as Snapshot;
};

const ended = (snapshot: Snapshot, output: unknown): Snapshot =>
  ({ ...snapshot, status: 'done', output, error: undefined }) as Snapshot;

/** Tells the actor that its run is through. */
class RunEnded {
  readonly type = 'troupe.run-ended';
}

const stopped = (
  machine: AnyStateMachine,
  snapshot: Snapshot,
  event: { type: string },
  scope: Scope,
): Snapshot => {
  const entry = entryOf(scope);
  if (entry !== undefined && !entry.isOver && entry.sponsor.kind === 'root')
    entry.run.abandon('its actor was stopped');
  return machine.transition(snapshot, event, scope);
};

/** Real XState actors: the default, and the fastest. */
export const liveHost = (inspect?: (event: InspectionEvent) => void): Host => ({
  start: (entry, input) => {
    const { sponsor, path } = entry;
    const parent = sponsor.kind === 'root' ? undefined : liveOf(sponsor.parent)?.ref;
    arriving = { entry, isInspected: inspect !== undefined };
    const actor = createActor(logicOf(entry.definition), {
      input,
      id: path,
      ...(parent === undefined ? {} : { parent }),
      ...(inspect === undefined || parent !== undefined ? {} : { inspect }),
    });
    actor.start();
  },
  deliver: (entry, envelope: Envelope) => {
    const ref = liveOf(entry)?.ref;
    // What comes in between its end and our learning of it comes too late.
    if (ref?.getSnapshot().status !== 'active') return;
    delivering = envelope;
    try {
      ref.send(envelope);
    } finally {
      delivering = undefined;
    }
  },
  stop: (entry) => {
    const actor = liveOf(entry);
    const { sponsor } = entry;
    // The log remembers who spoke for as long as the run lasts, but not what it knew.
    (entry as Living)[LIVE] = undefined;
    if (actor === undefined || sponsor.kind === 'root') return;
    // Only the actor that is its parent may stop an actor.
    liveOf(sponsor.parent)?.scope.stopChild(actor.ref);
  },
  contextOf: (entry) => (liveOf(entry)?.ref.getSnapshot() as Snapshot | undefined)?.context as unknown,
});
