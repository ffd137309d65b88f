import type { AnyStateMachine } from 'xstate';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import type { NotedEvent } from '../../contracts/events/noted-event.ts';
import type { InspectedRun, InspectedTurn } from '../../contracts/events/inspection.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import { activeStates } from './active-states.ts';
import type { ChartBook, MachineChart } from './chart-book.ts';
import type { GoneStatus } from './entry.ts';
import { LogFold } from './log-fold.ts';
import { TurnNote } from './notes/turn-note.ts';
import type { Recording } from './recording.ts';

/** An actor that was recorded. */
interface KnownActor {
  readonly path: string;
  readonly id: string;
  readonly chart: MachineChart;
  /** Undefined until it has moved. */
  context: object | undefined;
  isGone: boolean;
}

/** Records one run, from the turns of its machines and from its events. */
export class RunRecorder {
  readonly #run: InspectedRun;
  readonly #recording: Recording;
  readonly #charts: ChartBook;
  readonly #fold: LogFold;
  readonly #actors = new Map<string, KnownActor>();

  /** `charts` are those that the recording has, of all its runs. */
  constructor(run: InspectedRun, recording: Recording, charts: ChartBook) {
    this.#run = run;
    this.#recording = recording;
    this.#charts = charts;
    this.#fold = new LogFold(run, recording, charts);
  }

  /** Takes in a turn of an actor's machine. */
  turned({ path, machine, event, microsteps, value, context, status, output }: InspectedTurn): void {
    const at = this.#run.now();
    const actor = event === undefined ? this.#comes(path, machine, at) : this.#actors.get(path);
    if (actor === undefined) return;
    const { id, chart, context: before } = actor;
    // Where it begins there may have been no microstep before it rests.
    const isFirst = before === undefined && microsteps.length === 0;
    const moves = isFirst ? [{ on: 'xstate.init', arrows: NO_ARROWS, value, context }] : microsteps;
    actor.context = moves.at(-1)?.context ?? before;
    if (event !== undefined || moves.length > 0)
      this.#recording.add(new TurnNote({ at, actor: id, chart, event, before, microsteps: moves }));
    if (status !== 'active')
      this.#gone(actor, at, endOf(status, activeStates(machine, value)), outcomeOf(output));
  }

  /** Takes in an event of the runtime. */
  addEvent(event: DeltaEvent | NotedEvent): void {
    if (!('body' in event)) {
      this.#fold.takeDelta(event);
      this.#recording.delta(event);
      return;
    }
    this.#fold.take(event);
    if (event.body.type === 'run.ended') this.#over(event.moment.at);
  }

  /** Another process had continued the run. */
  resumed(at: number): void {
    this.#fold.resumed(at);
  }

  #comes(path: string, machine: AnyStateMachine, at: number): KnownActor {
    const chart = this.#charts.ofMachine(machine, at);
    const actor: KnownActor = { path, id: this.#fold.idOf(path), chart, context: undefined, isGone: false };
    this.#actors.set(path, actor);
    this.#fold.comes(path, at, chart.id);
    return actor;
  }

  #gone(actor: KnownActor, at: number, status: GoneStatus, output?: Json): void {
    if (actor.isGone) return;
    actor.isGone = true;
    this.#fold.goes(actor.path, at, status, output);
  }

  /** The run is over: nobody of it is there any more. */
  #over(at: number): void {
    this.#fold.ends(this.#run.agent, at);
    const now = this.#run.now();
    for (const actor of [...this.#actors.values()].toReversed()) this.#gone(actor, now, 'stopped');
    this.#actors.clear();
  }
}

const NO_ARROWS: readonly object[] = [];

/** A machine that ran to its end may have ended in a state that says that it came to nothing. */
const endOf = (status: InspectedTurn['status'], [state = '']: readonly string[]): GoneStatus => {
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
