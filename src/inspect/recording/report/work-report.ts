/** The kinds of work that a report adds up; of a tenant whole runs. */
export type ReportKind = 'agent' | 'tool' | 'model' | 'tenant';

/** A run behind a figure: the event at which it is seen, and what it has of it. */
export interface WorkProof {
  readonly run: string;
  /** The number of the event in its run. */
  readonly seq: number;
  /** In ms, US dollars, or a number of failures. */
  readonly value: number;
}

/** The figures of an agent, a tool, a model or a tenant, over all runs of a report. */
export interface WorkRow {
  readonly kind: ReportKind;
  readonly name: string;
  /** Number of times that it was done, or failed; what was cancelled is not counted. Of models each attempt. */
  readonly count: number;
  readonly failed: number;
  readonly retries: number;
  /** Input and output; of an agent those of its own calls. */
  readonly tokens: number;
  /** In US dollars, of the answers whose price is known. */
  readonly costUsd: number;
  /** Answers whose price is not known. */
  readonly unpriced: number;
  /** In ms, by nearest rank. */
  readonly p50: number;
  readonly p95: number;
  /** The runs with the largest part of it, at most three each. */
  readonly slowest: readonly WorkProof[];
  readonly dearest: readonly WorkProof[];
  readonly failing: readonly WorkProof[];
}

/** An alert, as the page shows it. */
export interface ReportedAlert {
  readonly id: string;
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'critical';
  /** True while its condition holds. */
  readonly isFiring: boolean;
  /** True if it says that its condition holds no longer. */
  readonly isResolved: boolean;
  /** The channels that failed to deliver it, with the message of the error. */
  readonly failures: readonly { readonly channel: string; readonly error: string }[];
  /** In ms since 1970. */
  readonly at: number;
  readonly runs: readonly string[];
}

/** The work of many runs, added up. */
export interface WorkReport {
  /** Number of runs that there are. */
  readonly runs: number;
  /** Number of runs that are in the figures by now. */
  readonly read: number;
  readonly rows: readonly WorkRow[];
  /** The newest first; undefined where there are no rules. */
  readonly alerts: readonly ReportedAlert[] | undefined;
}
