import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { noTotals } from '../../contracts/events/no-totals.ts';
import { addTotals } from '../../events/progress/add-totals.ts';
import type { TraceNote } from './trace-record.ts';

/** The statuses of a run in a trace: as it ended, running, or interrupted as its process was gone before the end. */
export const traceStatuses = ['running', 'completed', 'stopped', 'aborted', 'failed', 'interrupted'] as const;

/** See {@link traceStatuses}. */
export type TraceStatus = (typeof traceStatuses)[number];

type Ended = Extract<RuntimeEvent, { type: 'run.ended' }>;
type Started = Extract<RuntimeEvent, { type: 'run.started' }>;

/** The account of a run: agent, status and usage, all of which follow from the events. Times are ms since 1970, by the run's clock. */
export interface RunAccount extends Pick<Started, 'model' | 'isLanguageModel'> {
  readonly runId: string;
  /** The name of its root. */
  readonly agent: string;
  readonly status: TraceStatus;
  readonly input?: Json | undefined;
  readonly task?: Json | undefined;
  readonly startedAt: number;
  /** Of the last event. */
  readonly updatedAt: number;
  readonly endedAt?: number | undefined;
  /** The reason of the end: a spent budget is neither a success nor a failure. */
  readonly stopReason?: Ended['stopReason'] | undefined;
  readonly output?: Json | undefined;
  readonly autoCompleted?: true | undefined;
  readonly error?: Ended['error'];
  /** The failures of the run, with what was done about them. */
  readonly report?: Json | undefined;
  /** As the run's last event has it; counted from the events until then. */
  readonly totals: Ended['totals'];
  readonly counts: {
    readonly events: number;
    readonly steps: number;
    readonly agents: number;
    /** Events with an error. */
    readonly errors: number;
    readonly byType: Readonly<Record<string, number>>;
  };
}

/** The account of a run, with what else its trace says. */
export interface TraceAccount extends RunAccount {
  /** The number of events and texts that are missing from the file, once its writer has closed it. */
  readonly left?: Extract<TraceNote, { kind: 'closed' }>['left'] | undefined;
  /** The error that kept the trace from being written whole. */
  readonly trouble?: string | undefined;
  /** The process that wrote it last, and what it ran on. */
  readonly writer?: Pick<Extract<TraceNote, { kind: 'opened' }>, 'holder' | 'node' | 'platform'> | undefined;
  /** The caller's facts about the run, and their hash: equal facts, equal hashes. */
  readonly facts?: Readonly<Record<string, Json>> | undefined;
  readonly factsHash?: string | undefined;
}

/** Folds the events of one run; `unended` is the status of a run whose last event is not among them. Pure. */
export const accountOf = (
  events: readonly RuntimeEvent[],
  unended: 'running' | 'interrupted',
  runId = events[0]?.runId ?? '',
): RunAccount => {
  const byType = new Map<string, number>();
  for (const { type } of events) byType.set(type, (byType.get(type) ?? 0) + 1);
  const [first] = events;
  const started = events.find((event): event is Started => event.type === 'run.started');
  const ended = events.findLast((event): event is Ended => event.type === 'run.ended');
  const startedAt = first?.at ?? 0;
  const updatedAt = events.reduce((last, { at }) => Math.max(last, at), 0);
  return {
    runId,
    agent: (started ?? first)?.agent ?? '',
    status: ended?.status ?? unended,
    input: started?.input,
    task: jsonOf(started?.task),
    model: started?.model,
    isLanguageModel: started?.isLanguageModel,
    startedAt,
    updatedAt,
    endedAt: ended?.at,
    stopReason: ended?.stopReason,
    output: ended?.output,
    autoCompleted: ended?.autoCompleted,
    error: ended?.error,
    report: jsonOf(ended?.report),
    totals: ended?.totals ?? { ...events.reduce(addTotals, noTotals), durationMs: updatedAt - startedAt },
    counts: {
      events: events.length,
      steps: byType.get('step.ended') ?? 0,
      agents: new Set(events.map(({ path }) => path)).size,
      errors: events.filter((event) => 'error' in event && event.error !== undefined).length,
      byType: Object.fromEntries([...byType].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
};

const jsonOf = (value: object | undefined): Json | undefined =>
  value === undefined ? undefined : toJson(value);
