import type { ErrorData } from '../errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';
import type { FailureReport } from '../agents/recovery.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { Tally } from '../agents/tally.ts';
import type { Turn } from '../conversations/transcript.ts';
import type { RunStatus } from './run-status.ts';

/** The result of an actor: plain JSON, and the `output` of its XState actor. */
export interface Outcome<Output = Json> {
  readonly status: RunStatus;
  /** The accepted answer; absent unless `status` is `completed`. */
  readonly output?: Output | undefined;
  /** The answer that critics rejected to the last, kept but not accepted. */
  readonly candidate?: Json | undefined;
  /** True if the agent never declared itself done and its last text was taken as its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error?: ErrorData | undefined;
  /** Failures and how they were handled; absent if there were none. */
  readonly report?: FailureReport | undefined;
  readonly steps: number;
  readonly state: Json;
  readonly tally: Tally;
  /** The conversation, if it can be continued; only its latter half, if it had become too long. */
  readonly conversation?: readonly Turn[] | undefined;
}
