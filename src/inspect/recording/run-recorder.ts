import type { AnyStateMachine, InspectionEvent } from 'xstate';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { InspectedRun } from '../../contracts/events/inspection.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { activeStates } from './active-states.ts';
import type { ChartBook, MachineChart } from './chart-book.ts';
import { patchBetween } from './context-patch.ts';
import type { GoneStatus } from './entry.ts';
import { LogFold } from './log-fold.ts';
import type { Recording } from './recording.ts';

type ActorRef = InspectionEvent['actorRef'];

/** An actor that was recorded. */
interface KnownActor {
  readonly path: string;
  readonly id: string;
  readonly chart: MachineChart | undefined;
  context: object | undefined;
  hasMoved: boolean;
  isGone: boolean;
}

/**
 * Records one run, from XState's inspection events and from those of the runtime.
 *
 * An actor is recorded when it is first heard of, after those above it.
 */
export class RunRecorder {
  readonly #run: InspectedRun;
  readonly #recording: Recording;
  readonly #charts: ChartBook;
  readonly #fold: LogFold;
  readonly #actors = new Map<ActorRef, KnownActor>();

  /** `charts` are those that the recording has, of all its runs. */
  constructor(run: InspectedRun, recording: Recording, charts: ChartBook) {
    this.#run = run;
    this.#recording = recording;
    this.#charts = charts;
    this.#fold = new LogFold(run, recording, charts);
  }

  /** Takes in an inspection event of XState. */
  inspect(event: InspectionEvent): void {
    switch (event.type) {
      case '@xstate.actor':
        this.#known(event.actorRef);
        return;
      case '@xstate.event': {
        const { sourceRef, actorRef } = event;
        const from = sourceRef === undefined ? undefined : this.#known(sourceRef).id;
        const actor = this.#known(actorRef).id;
        // How it begins, and that a child is over, is recorded of whom it is about.
        if (event.event.type.startsWith('xstate.')) return;
        this.#recording.add({
          kind: 'received',
          at: this.#run.now(),
          actor,
          from,
          event: event.event,
        });
        return;
      }
      case '@xstate.microstep':
        this.#moved(event.actorRef, event.snapshot, event.event.type, event._transitions);
        return;
      case '@xstate.snapshot':
        this.#rested(event.actorRef, event.snapshot, event.event.type);
        return;
      default:
    }
  }

  /** Takes in an event of the runtime. */
  addEvent(event: LiveEvent): void {
    if (event.type === 'model.delta') {
      this.#fold.takeDelta(event);
      this.#recording.delta(event);
      return;
    }
    this.#fold.take(event);
    if (event.type === 'run.ended') this.#over(event.at);
  }

  /** Another process had continued the run. */
  resumed(at: number): void {
    this.#fold.resumed(at);
  }

  #known(ref: ActorRef): KnownActor {
    const known = this.#actors.get(ref);
    if (known !== undefined) return known;
    const chart = this.#chartOf(Reflect.get(ref, 'logic'));
    const path = pathOf(ref);
    const actor: KnownActor = {
      path,
      id: this.#fold.idOf(path),
      chart,
      context: undefined,
      hasMoved: false,
      isGone: false,
    };
    this.#actors.set(ref, actor);
    this.#fold.comes(path, this.#run.now(), chart?.id);
    return actor;
  }

  #chartOf(logic: unknown): MachineChart | undefined {
    if (!isMachine(logic)) return undefined;
    return this.#charts.ofMachine(logic, this.#run.now());
  }

  #moved(ref: ActorRef, snapshot: unknown, on: string, transitions: readonly object[]): void {
    const actor = this.#known(ref);
    const { chart } = actor;
    if (chart === undefined || !isJsonObject(snapshot)) return;
    const context: unknown = snapshot['context'];
    const patch =
      typeof context === 'object' && context !== null ? patchBetween(actor.context, context) : undefined;
    if (typeof context === 'object' && context !== null) actor.context = context;
    actor.hasMoved = true;
    this.#recording.add({
      kind: 'moved',
      at: this.#run.now(),
      actor: actor.id,
      on,
      arrows: transitions.flatMap((each) => chart.arrows.get(each) ?? []),
      states: activeStates(chart.machine, snapshot['value']),
      ...(patch === undefined ? {} : { patch: this.#isOurs(ref) ? patch : asObject(toJson(patch)) }),
    });
  }

  /** It is at rest: where it began there may have been no step before. */
  #rested(ref: ActorRef, snapshot: unknown, on: string): void {
    const actor = this.#known(ref);
    if (!actor.hasMoved) this.#moved(ref, snapshot, on, []);
    if (!isJsonObject(snapshot) || snapshot['status'] === 'active') return;
    const states = actor.chart === undefined ? [] : activeStates(actor.chart.machine, snapshot['value']);
    this.#gone(actor, endOf(snapshot['status'], states), outcomeOf(snapshot['output']));
  }

  #gone(actor: KnownActor, status: GoneStatus, output?: Json): void {
    if (actor.isGone) return;
    actor.isGone = true;
    this.#fold.goes(actor.path, this.#run.now(), status, output);
  }

  /** The run is over: nobody of it is there any more. */
  #over(at: number): void {
    this.#fold.ends(this.#run.agent, at);
    for (const actor of [...this.#actors.values()].toReversed()) this.#gone(actor, 'stopped');
    this.#actors.clear();
  }

  /** Machines of troupe never change what they gave; an app's own actors may. */
  #isOurs(ref: ActorRef): boolean {
    return this.#run.memberAt(pathOf(ref)) !== undefined;
  }
}

/** A machine that ran to its end may have ended in a state that says that it came to nothing. */
const endOf = (status: unknown, [state = '']: readonly string[]): GoneStatus => {
  if (status !== 'done') return status === 'error' ? 'failed' : 'stopped';
  return poorEnds[state.slice(state.lastIndexOf('.') + 1)] ?? 'done';
};

/** The outcome of an actor of a run: its answer, or its error. */
const outcomeOf = (outcome: unknown): Json | undefined => {
  if (!isJsonObject(outcome)) return undefined;
  const { output, candidate, error } = outcome;
  const said = error ?? output ?? candidate;
  return said === null ? undefined : said;
};

const poorEnds: Readonly<Record<string, GoneStatus>> = {
  failed: 'failed',
  timedOut: 'failed',
  stopped: 'stopped',
  aborted: 'stopped',
  cancelled: 'stopped',
};

const asObject = (value: Json): JsonObject => (isJsonObject(value) ? value : {});

const pathOf = (ref: ActorRef): string => {
  const id: unknown = Reflect.get(ref, 'id');
  return typeof id === 'string' ? id : ref.sessionId;
};

const isMachine = (logic: unknown): logic is AnyStateMachine =>
  typeof logic === 'object' &&
  logic !== null &&
  'root' in logic &&
  'id' in logic &&
  typeof logic.id === 'string';
