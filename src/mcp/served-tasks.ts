import { systemClock } from '../base/clock.ts';
import { randomId } from '../base/random-id.ts';
import type { JournalStore, RunEntry, StoredStatus } from '../contracts/journals/journal.ts';
import type { RunOptions } from '../contracts/runs/run-options.ts';
import type { AnyAgent } from '../runtime/define/agent-registry.ts';
import { ServedRun } from './served-run.ts';
import type { ListedTask, TaskStatus } from './served-task.ts';
import { ServedTask } from './served-task.ts';

/** Time for which a task of a run without a store is kept after its end, in ms. */
const KEPT_MS = 3_600_000;

/** Tasks that are kept: of more, those that ended first are forgotten, and no more begin while all are under way. */
const MAX_TASKS = 1_000;

/** Ids that cannot be guessed, and that a store's other runs do not have: an id leads to its run. */
const TASK_ID = /^mcp-[0-9a-f-]{72}$/;

/** The collaborators of the tasks of a service. */
export interface TaskSetup {
  readonly agents: readonly AnyAgent[];
  /** Options of each run. */
  readonly run: RunOptions;
  readonly patienceMs: number;
}

/** The runs of a service that clients follow as tasks. A stored one is found again by its id after a restart. */
export class ServedTasks {
  readonly #setup: TaskSetup;
  readonly #tasks = new Map<string, ServedTask>();
  readonly #resuming = new Map<string, Promise<ServedTask | undefined>>();

  constructor(setup: TaskSetup) {
    this.#setup = setup;
  }

  /** An id for a run that may become a task. */
  static newId(): string {
    return `mcp-${randomId()}${randomId()}`;
  }

  get store(): JournalStore | undefined {
    return this.#setup.run.store;
  }

  /** True while no more tasks may begin. */
  get isFull(): boolean {
    this.#forgetOld();
    return this.#tasks.size >= MAX_TASKS;
  }

  /** Makes a task of a run. Its id is the run's. */
  begin(agent: AnyAgent, run: ServedRun): ServedTask {
    return this.#add(agent, run, systemClock.now());
  }

  /** The task of an id; undefined if there is none, or none any more. */
  async find(id: string): Promise<ServedTask | undefined> {
    this.#forgetOld();
    const known = this.#tasks.get(id);
    if (known !== undefined) return known;
    if (this.store === undefined || !TASK_ID.test(id)) return undefined;
    const before = this.#resuming.get(id);
    if (before !== undefined) return before;
    const resuming = this.#resume(id, this.store).finally(() => this.#resuming.delete(id));
    this.#resuming.set(id, resuming);
    return resuming;
  }

  /** The tasks that are known here, and those in the store by their entries, the newest first: none is resumed. */
  async list(): Promise<readonly ListedTask[]> {
    this.#forgetOld();
    const stored = (await this.store?.list()) ?? [];
    const others = stored.filter((entry) => this.#isOurs(entry) && !this.#tasks.has(entry.runId));
    return [...this.#tasks.values(), ...others.map(taskOf)]
      .toSorted((one, other) => other.createdAt - one.createdAt)
      .slice(0, MAX_TASKS);
  }

  #isOurs({ runId, agent }: RunEntry): boolean {
    return TASK_ID.test(runId) && this.#setup.agents.some(({ name }) => name === agent);
  }

  /** Suspends what is stored, and aborts the rest. */
  async close(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.leave(this.store !== undefined)));
  }

  /** @throws {TroupeError} `journal.held` while another process has the run. */
  async #resume(id: string, store: JournalStore): Promise<ServedTask | undefined> {
    const entry = await store.entry(id);
    const agent = this.#setup.agents.find(({ name }) => name === entry?.agent);
    if (entry === undefined || agent === undefined) return undefined;
    const run = await ServedRun.resume(agent, id, { ...this.#setup.run, store });
    return this.#add(agent, run, entry.createdAt);
  }

  #add(agent: AnyAgent, run: ServedRun, createdAt: number): ServedTask {
    const { patienceMs } = this.#setup;
    const keptMs = this.store === undefined ? KEPT_MS : undefined;
    const task = new ServedTask({ id: run.handle.runId, agent, run, createdAt, patienceMs, keptMs });
    this.#tasks.set(task.id, task);
    return task;
  }

  #forgetOld(): void {
    const isOld = systemClock.now() - KEPT_MS;
    for (const [id, { isOver, updatedAt }] of this.#tasks)
      if (isOver && (updatedAt < isOld || this.#tasks.size >= MAX_TASKS)) this.#tasks.delete(id);
  }
}

/** A stored run as a task. One that waits for a person says so once its client asks for it. */
const taskOf = ({ runId: id, status, createdAt, updatedAt }: RunEntry): ListedTask => ({
  id,
  status: STATUS[status],
  hasFailed: status === 'failed' || status === 'stopped',
  createdAt,
  updatedAt,
  ttlMs: null,
});

const STATUS: Readonly<Record<StoredStatus, TaskStatus>> = {
  running: 'working',
  waiting: 'working',
  arriving: 'working',
  moved: 'cancelled',
  completed: 'completed',
  stopped: 'completed',
  failed: 'completed',
  aborted: 'cancelled',
};
