/** A schedule of a store, and who has that store open. */
export interface ListedSchedule {
  readonly name: string;
  /** The name of its store. */
  readonly store: string;
  readonly agent: string;
  /** Absent for a queue. Times are in ms since 1970. */
  readonly when?:
    | { readonly cron: string; readonly zone?: string | undefined }
    | { readonly everyMs: number }
    | { readonly at: number }
    | { readonly afterMs: number }
    | undefined;
  readonly isPaused: boolean;
  /** The next due time, in ms since 1970. */
  readonly nextAt?: number | undefined;
  /** Ids of runs that have not ended or not begun, in order. */
  readonly pending: readonly string[];
  /** The id of the run that ended last. */
  readonly last?: string | undefined;
  /** True if it may be paused, resumed and removed from here. */
  readonly control: boolean;
  /** The other process that has the store open; absent for the inspector's own. */
  readonly process?: string | undefined;
}

/** The schedules of all stores that are open, and the stores whose schedules cannot be read. */
export interface ScheduleList {
  readonly schedules: readonly ListedSchedule[];
  readonly problems: readonly string[];
}
