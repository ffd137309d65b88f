import type { EventType, LiveEvent } from '../../../contracts/events/event.ts';
import { WorkFollower } from '../work/follow-work.ts';
import type { Work, WorkEnd, WorkListener } from '../work/work.ts';
import { RunWork } from './run-work.ts';

/** Events that begin or end work, or tell what it has used. */
const wanted: ReadonlySet<string> = new Set([
  'run.started',
  'run.ended',
  'member.engaged',
  'member.ended',
  'model.asked',
  'model.answered',
  'model.retrying',
  'model.interrupted',
  'model.discarded',
  'model.failed',
  'model.fell-back',
  'context.compacted',
  'tool.started',
  'tool.retrying',
  'tool.finished',
] satisfies readonly EventType[]);

/** The work of runs, by their ids: at most `most`, the newest. */
export class WorkBook implements WorkListener {
  readonly #most: number;
  readonly #runs = new Map<string, RunWork>();
  readonly #follower = new WorkFollower(this);
  /** Counts changes. */
  version = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get runs(): ReadonlyMap<string, RunWork> {
    return this.#runs;
  }

  /** Checks whether an event of that type makes a difference: a phase, only where an actor begins, or leaves a model call. */
  wants(type: string, runId: string, path: string): boolean {
    return type === 'phase.entered' ? !this.#follower.isWithin(runId, path) : wanted.has(type);
  }

  /** Takes in the next event of any run. */
  take(event: LiveEvent): void {
    if (this.wants(event.type, event.runId, event.path)) this.#follower.take(event);
  }

  forget(runId: string): void {
    if (this.#runs.delete(runId)) this.version += 1;
  }

  began({ runId, by }: Work): void {
    // A run that is resumed after its end repeats its events from the first.
    if (by.type === 'run.started' || !this.#runs.has(runId)) this.#open(runId);
  }

  ended(work: Work, end: WorkEnd): void {
    this.version += 1;
    this.#runs.get(work.runId)?.ended(work, end);
  }

  noted(event: LiveEvent, about: Work | undefined): void {
    if (about === undefined) return;
    this.version += 1;
    this.#runs.get(event.runId)?.noted(event, about);
  }

  #open(runId: string): void {
    this.#runs.delete(runId);
    this.#runs.set(runId, new RunWork());
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > this.#most && oldest !== undefined) this.#runs.delete(oldest);
  }
}
