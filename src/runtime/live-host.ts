import { createActor } from 'xstate';
import type { AnyActorRef, AnyStateMachine, InspectionEvent, Observer } from 'xstate';
import { isPromise } from '../actors/promises.ts';
import { errorData } from '../contracts/error.ts';
import type { Outcome } from '../contracts/run.ts';
import { attachCarrier, carrierOf } from '../machines/outputs.ts';
import { underRules } from '../machines/rules.ts';
import { ActorEntry } from './actor-entry.ts';
import type { Definition } from './definition.ts';
import type { Actor, Envelope, Host } from './stage.ts';
import { outcomeOfFailure } from './result.ts';

/** How XState tells a logic that its actor was stopped, and that a child ended; the runtime has ways of its own for both. */
const STOPPED = 'xstate.stop';
const OF_XSTATE = 'xstate.';

/** What an interpreter of XState hands to a logic beside snapshot and event. */
type Scope = Parameters<AnyStateMachine['transition']>[2];

/** Actors of troupe: XState's own, with their entries. */
interface LiveActor {
  readonly ref: AnyActorRef;
  readonly scope: Scope;
  /** Takes what an app around it sends to the actor. */
  readonly obey: Obey | undefined;
}

const actors = new WeakMap<Actor, LiveActor>();
const logics = new WeakMap<Definition, AnyStateMachine>();
/** The entry for which `createActor` is being called: its logic meets it in `getInitialSnapshot`. */
let arriving: Actor | undefined;
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
        const entry = arriving;
        arriving = undefined;
        if (entry === undefined && arrive !== undefined) {
          const guest = arrive(scope, input);
          settleIn(guest.entry, scope, guest.obey);
          return begun(definition, guest.entry, scope, guest.input);
        }
        if (entry !== undefined) settleIn(entry, scope);
        return begun(definition, entry, scope, input);
      },
    },
    transition: {
      value: (snapshot: Snapshot, event: { type: string }, scope: Scope): Snapshot => {
        if (event.type.startsWith(OF_XSTATE))
          return event.type === STOPPED ? stopped(machine, snapshot, event, scope) : snapshot;
        const entry = entryOf(scope);
        // Answers come from the runtime alone: whoever else has the actor's reference can wish, not answer.
        if (entry !== undefined && event !== delivering) {
          actors.get(entry)?.obey?.(event);
          return snapshot;
        }
        return moved(definition, snapshot, event, scope);
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
) => { readonly entry: Actor; readonly input: unknown; readonly obey: Obey };

type Obey = (event: { readonly type: string }) => void;

type Snapshot = ReturnType<AnyStateMachine['transition']>;

const settleIn = (entry: Actor, scope: Scope, obey?: Obey): void => {
  actors.set(entry, { ref: scope.self, scope, obey });
  attachCarrier(scope.self, entry);
};

const entryOf = (scope: Scope): Actor | undefined => {
  const carrier = carrierOf(scope.self);
  return carrier instanceof ActorEntry ? carrier : undefined;
};

/** A throw before the first state is an end, too: XState would have the error go up to whoever is above. */
const begun = (
  { machine, rules }: Definition,
  entry: Actor | undefined,
  scope: Scope,
  input: unknown,
): Snapshot => {
  try {
    return underRules(rules, () => machine.getInitialSnapshot(scope, input));
  } catch (thrown) {
    const output = brokenOutcome(machine, entry, thrown);
    entry?.run.over(entry, output);
    return machine.resolveState({ value: firstState(machine), context: {}, status: 'done', output });
  }
};

const firstState = ({ root }: AnyStateMachine): string => Object.keys(root.states)[0] ?? '';

/** A throw inside a turn is an end with an error, as data: it takes nobody else down. */
const brokenOutcome = (machine: AnyStateMachine, entry: Actor | undefined, thrown: unknown): Outcome => {
  const message = `Cannot go on as the machine '${machine.id}' threw`;
  const error = errorData(thrown, 'machine.threw', { message });
  return { ...outcomeOfFailure('machine.threw', error.message, entry?.run.log.now() ?? 0), error };
};

const moved = (
  { machine, rules }: Definition,
  snapshot: Snapshot,
  event: { type: string },
  scope: Scope,
): Snapshot => {
  const entry = entryOf(scope);
  try {
    const next = underRules(rules, () => machine.transition(snapshot, event, scope));
    if (next.status === 'done') entry?.run.over(entry, next.output);
    return next;
  } catch (thrown) {
    const output = brokenOutcome(machine, entry, thrown);
    entry?.run.over(entry, output);
    return { ...snapshot, status: 'done', output } as Snapshot;
  }
};

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
    const parent = sponsor.kind === 'root' ? undefined : actors.get(sponsor.parent)?.ref;
    arriving = entry;
    const actor = createActor(logicOf(entry.definition), {
      input,
      id: path,
      ...(parent === undefined ? {} : { parent }),
      ...(inspect === undefined || parent !== undefined ? {} : { inspect }),
    });
    actor.start();
  },
  deliver: (entry, envelope: Envelope) => {
    const ref = actors.get(entry)?.ref;
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
    const actor = actors.get(entry);
    const { sponsor } = entry;
    // The log remembers who spoke for as long as the run lasts, but not what it knew.
    actors.delete(entry);
    if (actor === undefined || sponsor.kind === 'root') return;
    // Only the actor that is its parent may stop an actor.
    actors.get(sponsor.parent)?.scope.stopChild(actor.ref);
  },
});

/** An inspector that cannot hurt a run: what it throws is reported, once, and otherwise ignored. */
export const safeInspector = (
  inspect: ((event: InspectionEvent) => void) | Observer<InspectionEvent>,
  onFailure: (error: unknown) => void,
): ((event: InspectionEvent) => void) => {
  const look: (event: InspectionEvent) => unknown =
    typeof inspect === 'function' ? inspect : (event) => inspect.next?.(event);
  return (event) => {
    try {
      const returned = look(event);
      // An asynchronous inspector fails later; what it sees is not held up for it.
      if (isPromise(returned)) Promise.resolve(returned).catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
};
