/** The time for which an actor and those below it have waited for people: limits on work stand still meanwhile. */
export interface WorkTime {
  /** Total of the waits at or below a place up to `now`, in ms. */
  waitedMs(place: string, now: number): number;
  /** True while a request to a person is open there. */
  isWaiting(place: string): boolean;
}
