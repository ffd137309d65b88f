import type { Agent } from '../../contracts/agents/agent.ts';
import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';
import type { Engine } from '../../contracts/runs/engine.ts';
import type { RunOrResumeOptions } from '../journal/resume/resume-options.ts';

/** The times at which a schedule is due. */
export type When =
  /**
   * A cron expression of five fields, or six with seconds, read in `zone` (an IANA name, default `UTC`). Needs the package `croner`.
   *
   * With one hour, minute and second it is due once a day, also when clocks change: a time that is skipped is due at the first one after the gap, one
   * that occurs twice at its first. Any other expression skips what does not exist, and is due at both times that bear one name.
   */
  | { readonly cron: string; readonly zone?: string | undefined }
  /** At each whole multiple of that many ms since 1970, at least 1,000: the same times in each process. */
  | { readonly everyMs: number }
  /** Once, at that time (in ms since 1970, or a `Date`); at once, late, if it has passed. */
  | { readonly at: number | Date }
  /** Once, that many ms after the schedule was added for the first time. */
  | { readonly afterMs: number };

/** The fate of due times that passed while no process looked, or while the schedule was paused. */
export type Missed = 'once' | 'all' | 'drop';

/** A due time, or a message, that is delivered. */
export interface Due {
  readonly schedule: string;
  /** The id of the run that it becomes. */
  readonly runId: string;
  /** When it was due, or when the message came, in ms since 1970. */
  readonly dueAt: number;
  /** True if it is delivered more than `graceMs` after that. */
  readonly isLate: boolean;
  /** The message; absent for a due time. Its sender chose it: check it before use. */
  readonly message?: Json | undefined;
}

/** A schedule, or without `when` a queue: messages that `send` or a webhook brings become runs, in order, one at a time. */
export interface ScheduleOptions<Input> {
  /** Letters, digits, `-`, `_` and `.`, at most 100. Its runs are called `NAME@TIME` and `NAME@ID`. */
  readonly name: string;
  /** Run once for each due time or message. */
  readonly agent: Agent<Input, unknown, unknown>;
  /** The input of a run, or a function of what is delivered. It is asked for when the run is started. */
  readonly input: Input | ((due: Due) => Input | Promise<Input>);
  readonly when?: When | undefined;
  /** The conversation that its runs continue. Default: each run is one of its own. */
  readonly thread?: string | undefined;
  /**
   * Of due times that are found together: `once` delivers the latest, `all` each of them, oldest first, at most `backlog`, and `drop` the latest if it is
   * not late. Default `once`.
   */
  readonly missed?: Missed | undefined;
  /** A due time that comes while an earlier one's run has not ended is dropped (`skip`, the default), or waits for it (`queue`). */
  readonly overlap?: 'skip' | 'queue' | undefined;
  /** The most that may wait, the one that runs included; what comes then is dropped, and a message refused. Default 100. */
  readonly backlog?: number | undefined;
}

/** A schedule as its store has it. */
export interface StoredSchedule {
  readonly name: string;
  readonly agent: string;
  /** Absent for a queue. */
  readonly when?: When | undefined;
  readonly thread?: string | undefined;
  readonly missed: Missed;
  readonly overlap: 'skip' | 'queue';
  readonly isPaused: boolean;
  /** The next due time, also while it is paused; absent if there is none, or if `croner` is not installed. */
  readonly nextAt?: number | undefined;
  /** Ids of runs that have not ended or not begun, in order. */
  readonly pending: readonly string[];
  /** The id of the run that ended last. */
  readonly last?: string | undefined;
}

/** A report of what a schedule did. */
export type ScheduleReport =
  | ({ readonly type: 'started' } & Omit<Due, 'message'>)
  /** The due time was skipped, as an earlier one's run goes on or the backlog is full, or dropped, as it was missed. */
  | { readonly type: 'skipped' | 'dropped'; readonly schedule: string; readonly dueAt: number }
  /** Tried again at the next look, unless `isFinal`: its run was started, and cannot be resumed. */
  | {
      readonly type: 'failed';
      readonly schedule: string;
      readonly runId?: string | undefined;
      readonly isFinal: boolean;
      readonly error: TroupeError;
    };

/** Options of {@link schedules}. */
export interface SchedulesOptions {
  /** Starts new runs, in its turn and with its limits. Runs that were interrupted are resumed beside it, with `run`. */
  readonly engine?: Engine | undefined;
  /** Options of all runs. */
  readonly run?:
    | Omit<RunOrResumeOptions, 'store' | 'runId' | 'thread' | 'clock' | 'history' | 'task'>
    | undefined;
  /** Also the clock of the runs. Default: the system's, and for runs that of the engine. */
  readonly clock?: Clock | undefined;
  /** Time after which what other processes and a changed clock did is noticed, in ms, and a start that failed is tried again. Default 10,000. */
  readonly lookEveryMs?: number | undefined;
  /** Time after which what is delivered counts as late, in ms. Default 30,000. */
  readonly graceMs?: number | undefined;
  /** Called for what is started, skipped, dropped, and what failed. What it throws is ignored. */
  readonly onReport?: ((report: ScheduleReport) => void) | undefined;
}

/** A message to a queue. */
export interface QueuedMessage {
  /** A message of that id is delivered once, as long as its run is in the store. Letters, digits, `-` and `_`, at most 128. */
  readonly id: string;
  readonly message: Json;
}

/** Keys and bounds of a webhook. */
export interface WebhookInOptions {
  /** `whsec_` and base64 of 24 to 64 bytes each; a signature by any of them is accepted, so that keys can be rotated. */
  readonly keys: string | readonly string[];
  /** Longer bodies are refused, in bytes. Default 262,144. */
  readonly maxBytes?: number | undefined;
}

/** Schedules of a store. Methods reject with `schedule.unknown` for a name that it does not have. */
export interface Schedules extends AsyncDisposable {
  /**
   * Registers the code of a schedule, and stores the schedule if it is new or its options changed. A removed one is new again.
   *
   * @throws {TroupeError} `schedule.invalid`; `schedule.package-missing` without `croner`.
   */
  add<Input>(schedule: ScheduleOptions<Input>): Promise<void>;
  /** All schedules of the store, by name. */
  list(): Promise<readonly StoredSchedule[]>;
  /** Starts no further run until it is resumed, in any process. What is under way continues. */
  pause(name: string): Promise<void>;
  /** Continues a paused schedule: what it missed meanwhile is delivered as its `missed` says. */
  resume(name: string): Promise<void>;
  /** Forgets the schedule, and what of it has not begun. Its runs stay in the store. */
  remove(name: string): Promise<void>;
  /**
   * Puts a message into a queue; resolves when it is stored. True if it is new, false for one of an id that was sent before.
   *
   * @throws {TroupeError} `schedule.full` if the backlog is; `schedule.invalid` for a schedule that is no queue, and an invalid id.
   */
  send(name: string, message: QueuedMessage): Promise<boolean>;
  /**
   * A web handler for webhooks that are signed as Standard Webhooks says: a POST of JSON becomes a message of the queue, under its `webhook-id`.
   *
   * 202 for a new one, 200 for a repeated one, 401 for what is not signed by one of the keys or more than 300 s old or ahead, 405, 413, 415, 400, and
   * 503 if it cannot be stored: its sender tries again.
   *
   * @throws {TroupeError} `schedule.invalid` for keys that are none.
   */
  handler(name: string, options: WebhookInOptions): (request: Request) => Promise<Response>;
}
