import type { Breakpoint } from '../recording/breakpoint.ts';
import type { OpenRequest } from '../../contracts/request.ts';

/** A run that can be looked at. */
export interface SessionRun {
  readonly run: string;
  readonly agent: string;
  readonly isLive: boolean;
  readonly status?: string | undefined;
  readonly title?: string | undefined;
  readonly source: 'live' | 'stored';
  /** Where it is held, beside where all runs are. */
  readonly breakpoints?: readonly Breakpoint[] | undefined;
}

/** What a server says of itself. */
export interface Session {
  /** True if runs may be held, stepped and talked to from here. */
  readonly control: boolean;
  readonly version: string;
  readonly runs: readonly SessionRun[];
  /** Where all runs are held. */
  readonly breakpoints?: readonly Breakpoint[] | undefined;
}

/** A request to a person, and the run that it is of, where the server says so. */
export type AskedRequest = OpenRequest & { readonly run?: string | undefined };
