import type { ForkPoint } from '../../contracts/journals/journal-record.ts';
import type { Entry } from '../recording/entry.ts';
import type { RunFigures } from '../recording/run-sums.ts';
import type { TableauData } from '../recording/tableau.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { oneLine } from '../drawing/plain-text.ts';

/** A run that can be looked at. */
export interface SessionRun {
  readonly run: string;
  readonly agent: string;
  readonly isLive: boolean;
  readonly status?: string | undefined;
  readonly title?: string | undefined;
  /** A file is of the page alone: its server knows nothing of it. */
  readonly source: 'live' | 'stored' | 'file';
  /** True if it is in a store, and so can be forked. */
  readonly isKept?: boolean | undefined;
  /** In ms since 1970. */
  readonly startedAt?: number | undefined;
  /** Number of open requests to people, as far as it is known. */
  readonly requests?: number | undefined;
  /** Its own breakpoints, in addition to those of all runs. */
  readonly breakpoints?: readonly Breakpoint[] | undefined;
  /** The place at which it was forked from another run. */
  readonly fork?: ForkPoint | undefined;
  /** The process that has it, where that is not the server's. */
  readonly process?: SessionProcess | undefined;
}

/** Another process whose runs are shown. */
export interface SessionProcess {
  readonly id: string;
  readonly pid: number;
  readonly program: string;
  /** In ms since 1970. */
  readonly startedAt: number;
  /** True if its runs may be controlled. */
  readonly control: boolean;
  /** True if it has ended, or is not shown any more. */
  readonly isOver: boolean;
}

/** A process, for people. */
export const processName = ({ program, pid }: SessionProcess): string => `${oneLine(program, 50)} · ${pid}`;

/** A row of the table of runs. */
export interface RunRow extends SessionRun, RunFigures {}

/** The rows that have changed since the version that was asked for. */
export interface RunRows {
  readonly version: number;
  /** True if they are all there are; else they replace those of the same run, or are new. */
  readonly isWhole: boolean;
  readonly rows: readonly RunRow[];
}

/** A run's name: its agent, and the beginning of its input. */
export const runName = ({ title, agent, run }: SessionRun): string =>
  oneLine(title === undefined || title === '' ? `${agent} · ${run}` : `${agent} · ${title}`, 70);

/** The server's description of a session. */
export interface Session {
  /** True if runs may be controlled from here. */
  readonly control: boolean;
  readonly version: string;
  readonly runs: readonly SessionRun[];
  /** Breakpoints of all runs of the process that is shown. */
  readonly breakpoints?: readonly Breakpoint[] | undefined;
  /** The other processes that are known, the newest first. */
  readonly processes?: readonly SessionProcess[] | undefined;
  /** A message above the runs. */
  readonly note?: string | undefined;
  /** The runs that the command does not continue for the time being, and why. */
  readonly held?: readonly { readonly run: string; readonly reason: string }[] | undefined;
}

/** A request to a person, with its run if the server sends it. */
export type AskedRequest = OpenRequest & { readonly run?: string | undefined };

/** A recording that stands in a page, which then needs no server. */
export interface Embedded {
  readonly session: Session;
  readonly base: TableauData;
  readonly entries: readonly Entry[];
  /** The account of its run, and the damage to its log, to be read as they are. */
  readonly account: unknown;
  readonly damage: readonly unknown[];
}
