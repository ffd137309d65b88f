import { isLogged } from '../../../contracts/events/is-logged.ts';
import type { LiveEvent, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { GivenPart } from '../../../contracts/content/part.ts';
import type { Turn } from '../../../contracts/conversations/transcript.ts';
import type { RunEntry } from '../../../contracts/journals/journal.ts';
import type { RecordedEvent } from '../../../contracts/journals/journal-record.ts';
import type { OpenRequest } from '../../../contracts/people/request.ts';
import type { RemoteEntry } from '../../../contracts/runs/remote-run.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import { bodyOf } from '../../journal/replay/recorded-event.ts';
import { RequestBook } from '../../people/request-book.ts';
import type { ServedAgent } from './served-names.ts';

/** A run: one that this server has, or one that its store has. */
export type FoundRun =
  | { readonly live: LiveRun; readonly stored?: undefined }
  | { readonly live?: undefined; readonly stored: RunEntry };

/** The last event of a run. */
export type Ended = Extract<RuntimeEvent, { type: 'run.ended' }>;

/** Checks for the end that observers see of a run that this process leaves: it is not on record. */
export const isLeftEnd = (event: LiveEvent): boolean =>
  event.type === 'run.ended' &&
  (event.error?.code === 'run.suspended' || event.error?.code.startsWith('journal.') === true);

/** The options that a run was started with. */
export interface Begun {
  /** True if a store has it: it may be left to other processes. */
  readonly isStored?: boolean | undefined;
  readonly thread?: string | undefined;
  readonly paused?: boolean | undefined;
  readonly history?: readonly Turn<GivenPart>[] | undefined;
}

/** A run that this server has. */
export class LiveRun {
  readonly runId: string;
  readonly agent: ServedAgent;
  readonly handle: RunHandle<unknown, unknown>;
  readonly thread: string | undefined;
  /** The conversation that it continued, where no store has it. */
  readonly history: readonly Turn<GivenPart>[];
  /** Resolves when it is over or suspended; never rejects. */
  readonly over: Promise<void>;
  isOver = false;
  readonly #isStored: boolean;
  /** No event says so. */
  readonly #beganPaused: boolean;
  #stepping: Promise<void> | undefined;

  constructor(
    agent: ServedAgent,
    handle: RunHandle<unknown, unknown>,
    { isStored = false, thread, paused = false, history = [] }: Begun = {},
  ) {
    this.runId = handle.runId;
    this.agent = agent;
    this.handle = handle;
    this.thread = thread;
    this.history = history;
    this.#isStored = isStored;
    this.#beganPaused = paused;
    const end = (): void => {
      this.isOver = true;
    };
    this.over = handle.result.then(end, end);
  }

  /** Its last event; undefined while it is under way, and for one that this process no longer has. */
  get ended(): Ended | undefined {
    if (!this.isOver) return undefined;
    const last = this.events.at(-1);
    if (last?.type !== 'run.ended' || (this.#isStored && isLeftEnd(last))) return undefined;
    return last;
  }

  /** True if this process does not have it any more, and others may. */
  get isLeft(): boolean {
    return this.#isStored && this.isOver && this.ended === undefined;
  }

  /** The events so far, redacted as for any observer; deltas are left out. */
  get events(): readonly RuntimeEvent[] {
    const events: RuntimeEvent[] = [];
    // Past events come at once.
    const listening = this.handle.events$.subscribe((event) => {
      if (isLogged(event)) events.push(event);
    });
    listening.unsubscribe();
    return events;
  }

  /** The open requests as observers see them, oldest first. */
  get requests(): readonly OpenRequest[] {
    const book = new RequestBook();
    for (const event of this.events) {
      const recorded = asRecorded(event);
      book.heard(bodyOf(recorded), recorded);
    }
    const open = new Set(this.handle.requests.map(({ id }) => id));
    return book.open.filter(({ id }) => open.has(id));
  }

  /** The entry of the run in a list. */
  get entry(): RemoteEntry {
    return {
      runId: this.runId,
      agent: this.agent.name,
      status: this.#status,
      ...(this.thread === undefined ? {} : { thread: this.thread }),
    };
  }

  /** Resolves when no step is under way. */
  get stepped(): Promise<void> {
    return this.#stepping ?? Promise.resolve();
  }

  /** Goes on by one step or effect, after those that are under way. */
  step(unit: 'step' | 'effect'): Promise<void> {
    const step = this.handle.step(unit);
    const before = this.#stepping;
    const both = before === undefined ? step : Promise.all([before, step]).then(() => undefined);
    this.#stepping = both;
    const done = (): void => {
      if (this.#stepping === both) this.#stepping = undefined;
    };
    both.then(done, done);
    return both;
  }

  get #status(): RemoteEntry['status'] {
    const events = this.events;
    if (events.length === 0) return this.isOver ? 'failed' : 'queued';
    const last = events.at(-1);
    if (last?.type === 'run.ended') return last.status;
    const gate = events.findLast(({ type }) => type === 'run.paused' || type === 'run.resumed');
    const isPaused = gate === undefined ? this.#beganPaused : gate.type === 'run.paused';
    if (isPaused) return 'paused';
    return this.handle.requests.length > 0 ? 'waiting' : 'running';
  }
}

/** An event without what all events of a run share. */
const asRecorded = ({ v: _v, runId: _runId, ...event }: RuntimeEvent): RecordedEvent =>
  // Of each type exactly these fields are missing.
  event as RecordedEvent;
