import type { Json } from '../../base/json/json.ts';
import type { DeltaEvent, EventBody } from '../../contracts/events/event.ts';
import type { NotedEvent } from '../../contracts/events/noted-event.ts';
import type { InspectedRun } from '../../contracts/events/inspection.ts';
import type { Composition } from '../../machines/diagrams/composition.ts';
import { compositionOf } from '../../runtime/define/composition.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import type { ChartBook } from './chart-book.ts';
import { EffectRecorder } from './effect-recorder.ts';
import type { GoneStatus } from './entry.ts';
import { FirstPieces } from './first-pieces.ts';
import type { NotedRun } from './notes/event-note.ts';
import { EventNote } from './notes/event-note.ts';
import type { NotedSent } from './packs/pack.ts';
import type { Recording } from './recording.ts';

/** The facts of a run that its events do not repeat. */
export type FoldedRun = Pick<InspectedRun, 'runId' | 'agent' | 'memberAt'> &
  Partial<Pick<InspectedRun, 'sentAsItWas' | 'root' | 'redact'>>;

/**
 * The fold of a run's events to a recording: its actors, the events about them, and their calls, questions and waits as actors below them.
 *
 * Everything that a log holds is in it. Moves are added by their sources: the turns of a run that is moved, or the phases in a trace.
 */
export class LogFold {
  readonly #run: FoldedRun;
  readonly #recording: Recording;
  readonly #effects: EffectRecorder;
  /** Events of actors that are not there yet, by address. */
  readonly #early = new Map<string, NotedEvent[]>();
  readonly #paths = new Set<string>();
  readonly #firstPieces = new FirstPieces();
  readonly #noted: NotedRun;

  /** `charts` are those that the recording has, of all its runs. */
  constructor(run: FoldedRun, recording: Recording, charts: ChartBook) {
    const { runId, redact = (value) => value } = run;
    this.#run = run;
    this.#noted = { runId, redact };
    this.#recording = recording;
    this.#effects = new EffectRecorder(run.runId, charts, (entry) => {
      recording.add(entry);
    });
  }

  /** Takes in an event; one of an actor that is not there yet waits for it. */
  take(noted: NotedEvent): void {
    const { path, at } = noted.moment;
    if (noted.body.type === 'run.ended') this.#meetTheRest(at);
    if (this.has(path)) this.#hear(noted);
    else this.#early.set(path, [...(this.#early.get(path) ?? []), noted]);
  }

  /** Takes in a piece of a model's answer: when it came is kept, the piece is not. */
  takeDelta(delta: DeltaEvent): void {
    this.#firstPieces.takeDelta(delta);
  }

  /** Another process had continued the run here. */
  resumed(at: number): void {
    const { runId: run, agent } = this.#run;
    const isInterrupted = !this.#effects.isWaiting;
    this.#recording.add({ kind: 'resumed', at, actor: this.idOf(agent), run, isInterrupted });
  }

  has(path: string): boolean {
    return this.#paths.has(path);
  }

  /** Adds an actor, and the events that waited for it. */
  comes(path: string, at: number, chart?: string): void {
    const member = this.#run.memberAt(path);
    this.#add(path, at, member?.parent, chart);
  }

  /** An actor has ended, and with it its pending effects. */
  goes(path: string, at: number, status: GoneStatus, output?: Json): void {
    this.ends(path, at);
    const said = output === undefined ? {} : { output };
    this.#recording.add({ kind: 'gone', at, actor: this.idOf(path), status, ...said });
  }

  /** Ends the pending effects of an actor. */
  ends(path: string, at: number): void {
    this.#effects.ends(path, at);
  }

  idOf(path: string): string {
    return `${this.#run.runId}/${path}`;
  }

  #add(path: string, at: number, above: string | undefined, chart: string | undefined): void {
    const { runId: run } = this.#run;
    const { name = path, kind: role = 'other' } = this.#run.memberAt(path) ?? {};
    const parent = above === undefined ? undefined : this.idOf(above);
    this.#paths.add(path);
    const composition = parent === undefined ? this.#composition() : undefined;
    const made = composition === undefined ? {} : { composition };
    this.#recording.add({
      kind: 'actor',
      at,
      actor: this.idOf(path),
      run,
      parent,
      name,
      role,
      chart,
      ...made,
    });
    for (const event of this.#early.get(path) ?? []) this.#hear(event);
    this.#early.delete(path);
  }

  /** The composition of the run's root, where its definition is known: events do not tell it. */
  #composition(): Composition | undefined {
    const definition = this.#run.root && definitionOf(this.#run.root);
    return definition && compositionOf(definition);
  }

  #hear(noted: NotedEvent): void {
    const { body, moment } = noted;
    const steps = this.#effects.take(noted);
    const [sent, firstMs] = [this.#sentBy(body), this.#firstPieces.take(body, moment)];
    // That a state was entered is recorded as a move.
    if (body.type !== 'phase.entered' || steps.length > 0)
      this.#recording.add(new EventNote(this.#noted, noted, { sent, firstMs, steps }));
    if (body.type === 'member.ended') this.ends(moment.path, moment.at);
  }

  /** The request of a model call, or its answer. */
  #sentBy(body: EventBody): NotedSent | undefined {
    const { sentAsItWas } = this.#run;
    if (body.type === 'model.asked') {
      const request = sentAsItWas?.requestOf(body.key);
      return request && { request };
    }
    const raw = body.type === 'model.answered' ? sentAsItWas?.answerOf(body.key) : undefined;
    return raw && { raw };
  }

  /** Adds actors whose start was never published: a run may end before it starts. */
  #meetTheRest(at: number): void {
    const root = this.#run.agent;
    if (!this.has(root)) this.#add(root, at, undefined, undefined);
    for (const path of this.#early.keys()) this.#add(path, at, root, undefined);
  }
}
