import type { LiveEvent } from '../../../contracts/events/event.ts';
import { WorkFollower } from '../work/follow-work.ts';
import { followed } from '../work/followed-events.ts';
import type { Work, WorkEnd, WorkListener } from '../work/work.ts';
import { RunWork } from './run-work.ts';

const wanted: ReadonlySet<string> = new Set(followed);

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

  wants(type: string): boolean {
    return wanted.has(type);
  }

  /** Takes in the next event of any run. */
  take(event: LiveEvent): void {
    if (this.wants(event.type)) this.#follower.take(event);
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
