import type { ErrorData } from '../errors/error-data.ts';
import type { RuntimeEvent } from '../events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { FailureReport } from '../agents/recovery.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { Task } from '../tasks/task.ts';
import type { Artifact } from '../tools/tool-result.ts';
import type { Turn } from '../conversations/transcript.ts';
import type { RunStatus } from './run-status.ts';
import type { RunTotals } from './run-totals.ts';
import type { StepRecord } from './step-record.ts';

/** The result of a run. `output` is present only if the run completed: a limit or a critic may have ended it first. */
export interface RunResult<Output = Json, State = Json> {
  readonly runId: string;
  /** The task of the run, read and validated; absent if there is none, or an invalid one. */
  readonly task?: Task | undefined;
  readonly status: RunStatus;
  readonly output: Output | undefined;
  readonly candidate: Json | undefined;
  /**
   * The whole conversation of the run, from the history that it continued to its answer, each call with its result:
   * what its models were shown, before anything was omitted. Pass it as `history` to continue in another run. Made when
   * read. Empty for a team: each of its members has a conversation of its own.
   */
  readonly transcript: readonly Turn[];
  /** The conversation of a child whose terms ask for it. */
  readonly conversation?: readonly Turn[] | undefined;
  /** True if the agent never declared itself done and its last text was taken as its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | undefined;
  /** Failures and how they were handled; absent if there were none. */
  readonly report?: FailureReport | undefined;
  readonly state: State;
  /** The root agent's steps, in order; children have theirs in the events `step.ended`. */
  readonly records: readonly StepRecord[];
  readonly events: readonly RuntimeEvent[];
  readonly artifacts: readonly Artifact[];
  readonly totals: RunTotals;
  /** Every effect of the run, by key, with its result. */
  readonly effects: readonly EffectRecord[];
}

/** Intent and result of one effect. */
export interface EffectRecord {
  readonly key: string;
  readonly port: string;
  readonly path: string;
  readonly askedAt: number;
  /** `late`: answered after it was withdrawn. */
  readonly state: 'asked' | 'answered' | 'failed' | 'withdrawn' | 'late';
  readonly output?: unknown;
}
