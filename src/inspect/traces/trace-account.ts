import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { noTotals } from '../../contracts/events/no-totals.ts';
import { addTotals } from '../../events/progress/add-totals.ts';
import type { TraceManifest } from './trace-schema.ts';
import { TRACE_VERSION } from './trace-schema.ts';

/** What a manifest says of the run itself: it follows from the events alone. */
export type RunAccount = Omit<TraceManifest, 'left' | 'trouble' | 'files' | 'writer' | 'facts' | 'factsHash'>;

type Ended = Extract<RuntimeEvent, { type: 'run.ended' }>;
type Started = Extract<RuntimeEvent, { type: 'run.started' }>;

/** Counts the events of one run as they come, and says what its manifest is to say. */
export class TraceAccount {
  readonly #byType = new Map<string, number>();
  readonly #agents = new Set<string>();
  #first: RuntimeEvent | undefined;
  #started: Started | undefined;
  #ended: Ended | undefined;
  #lastAt = 0;
  #lastSeq = -1;
  #errors = 0;
  #totals = noTotals;

  /** The place of the last event; -1 before the first. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  take(event: RuntimeEvent): void {
    this.#first ??= event;
    this.#lastAt = Math.max(this.#lastAt, event.at);
    this.#lastSeq = Math.max(this.#lastSeq, event.seq);
    this.#byType.set(event.type, (this.#byType.get(event.type) ?? 0) + 1);
    this.#agents.add(event.path);
    if ('error' in event && event.error !== undefined) this.#errors += 1;
    this.#totals = addTotals(this.#totals, event);
    if (event.type === 'run.started') this.#started ??= event;
    if (event.type === 'run.ended') this.#ended = event;
  }

  /** How the run stands; `unended` is what a run is whose last event never came. */
  told(runId: string, unended: 'running' | 'interrupted'): RunAccount {
    const [started, ended, first] = [this.#started, this.#ended, this.#first];
    const startedAt = first?.at ?? 0;
    return {
      v: TRACE_VERSION,
      eventVersion: EVENT_VERSION,
      runId,
      agent: (started ?? first)?.agent ?? '',
      status: ended?.status ?? unended,
      input: started?.input,
      task: jsonOf(started?.task),
      model: started?.model,
      isLanguageModel: started?.isLanguageModel,
      startedAt,
      updatedAt: this.#lastAt,
      endedAt: ended?.at,
      stopReason: ended?.stopReason,
      output: ended?.output,
      autoCompleted: ended?.autoCompleted,
      error: ended?.error,
      report: jsonOf(ended?.report),
      totals: ended?.totals ?? { ...this.#totals, durationMs: this.#lastAt - startedAt },
      counts: {
        events: [...this.#byType.values()].reduce((sum, count) => sum + count, 0),
        steps: this.#byType.get('step.ended') ?? 0,
        agents: this.#agents.size,
        errors: this.#errors,
        byType: Object.fromEntries([...this.#byType].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      },
    };
  }
}

const jsonOf = (value: object | undefined): Json | undefined =>
  value === undefined ? undefined : toJson(value);
