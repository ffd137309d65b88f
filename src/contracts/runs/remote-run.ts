import type { Json } from '../../base/json/json.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { OpenRequest } from '../people/request.ts';
import type { RunStatus } from './run-status.ts';
import type { RunTotals } from './run-totals.ts';

/** A right of a caller of a server: to start runs, to see them, to control them, to answer their requests. */
export type Permission = 'start' | 'watch' | 'control' | 'answer';

/** The result of a run as a server gives it: that of its last event, redacted. One that completed has an output. */
export type RemoteResult<Output = Json> = {
  readonly runId: string;
  /** As its last event has it. */
  readonly stopReason: { readonly [field: string]: unknown; readonly kind: StopReason['kind'] };
  readonly totals: RunTotals;
} & (
  | { readonly status: 'completed'; readonly output: Output; readonly error?: undefined }
  | {
      readonly status: Exclude<RunStatus, 'completed'>;
      readonly output?: undefined;
      readonly error?: ErrorData | undefined;
    }
);

/** A run as a server lists it. */
export interface RemoteEntry {
  readonly runId: string;
  /** The name by which its agent is served. */
  readonly agent: string;
  /** `queued` until it starts, `waiting` for a person, a message or a time. */
  readonly status: 'queued' | 'running' | 'paused' | 'waiting' | RunStatus;
  /** The beginning of its input; absent for a run without a store. */
  readonly title?: string | undefined;
  /** In ms since 1970, as all times here; absent for a run without a store. */
  readonly createdAt?: number | undefined;
  readonly updatedAt?: number | undefined;
  readonly thread?: string | undefined;
  readonly forkedFrom?: string | undefined;
}

/** A request to a person as a server lists it. */
export type RemoteRequest = OpenRequest & {
  readonly runId: string;
  /** An answer was posted that the run has not received yet. */
  readonly isAnswered?: boolean | undefined;
};

/** The message of a server that refuses. */
export interface RemoteRefusal {
  readonly error: Pick<ErrorData, 'code' | 'message' | 'retryable' | 'retryAfterMs' | 'runId'>;
}
