import type { Clock } from '../../base/clock.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Redactor } from '../../contracts/secrets/redactor.ts';
import type { OpenStreams } from './http/open-streams.ts';
import type { RunFinder } from './runs/run-finder.ts';
import type { ServedNames } from './runs/served-names.ts';
import type { ServedRuns } from './runs/served-runs.ts';
import type { Caller, Limits, ServedRunOptions } from './serve-options.ts';

/** The parts of a server that its operations need. */
export interface Serving {
  readonly basePath: string;
  readonly names: ServedNames;
  readonly runs: ServedRuns;
  readonly finder: RunFinder;
  readonly streams: OpenStreams;
  readonly store: JournalStore | undefined;
  readonly run: ServedRunOptions;
  readonly limits: Limits;
  readonly redactor: Redactor;
  readonly clock: Clock;
}

/** A request that was let in. */
export interface Admitted {
  readonly request: Request;
  readonly url: URL;
  readonly caller: Caller;
  /** The names in its address. */
  readonly names: Readonly<Record<string, string>>;
}
