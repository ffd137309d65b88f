/** A process, as the page names it. */
export interface ListedProcess {
  readonly id: string;
  readonly pid: number;
  readonly program: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  /** True if its runs can be controlled. */
  readonly control: boolean;
  /** True if it has ended, or is not shown any more. */
  readonly isOver: boolean;
}
