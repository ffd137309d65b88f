import type { Json } from '../../base/json/json.ts';
import type { Turn } from './transcript.ts';
import type { RunStatus } from '../runs/run-status.ts';
import type { Listed } from '../errors/listed.ts';

/** A turn to be added to a thread: a message, call or result. */
export type SaidTurn = (Turn | EarlierTurn) & {
  /** The speaker, if it was neither the user nor the agent of the run. */
  readonly from?: string | undefined;
  /** Status of the run that it belongs to; only on the last turn of a run. */
  readonly status?: RunStatus | undefined;
};

/** A turn of a thread: a message, call or result, with its time. */
export type ThreadTurn = Turn & {
  readonly from?: string | undefined;
  /** Status of the run that it belongs to; only on the last turn of a run. */
  readonly status?: RunStatus | undefined;
  /** In ms since 1970. */
  readonly at: number;
  /** The run that it is of, where it is one's. */
  readonly runId?: string | undefined;
};

/** Facts about a thread, without its turns. */
export interface ThreadEntry {
  readonly id: string;
  readonly title: string;
  /** Summary so far; absent without a summariser. */
  readonly summary?: string | undefined;
  readonly isArchived: boolean;
  /** Marked as complete; it can be continued nevertheless. */
  readonly isComplete: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A thread with all its turns. */
export interface Thread extends ThreadEntry {
  readonly turns: readonly ThreadTurn[];
  /** Last states of the agents of its runs, by name. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  /** Lines that could not be read, left by a crash or damaged: skipped and listed. Usually empty. */
  readonly skipped: readonly SkippedLine[];
}

/** A line of a thread that cannot be read. */
export interface SkippedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A new thread without turns. */
export interface NewThread {
  /** Default: a random UUID. */
  readonly id?: string | undefined;
  /** Default: made from the first turns. */
  readonly title?: string | undefined;
}

/** A filter on threads. */
export interface ThreadQuery {
  /** Archived ones, too. Default false. */
  readonly archived?: boolean | undefined;
  /** At most that many. Default: all. */
  readonly limit?: number | undefined;
}

/** Turns to be added to a thread. */
export interface SaidTurns {
  readonly turns: readonly SaidTurn[];
  /** Last states of the run's agents, by name. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  /** The run that the turns belong to: a run is added once, however often this is called. */
  readonly runId?: string | undefined;
}

/**
 * Conversations across runs. Each change is saved by the time that its promise resolves.
 *
 * A thread is named by its caller, with any text that is not empty.
 *
 * Errors: `thread.exists`, `thread.unknown`, `thread.version` (written by a later release), `thread.corrupt`, `thread.invalid`.
 */
export interface Threads {
  /** @throws `thread.exists`, `thread.invalid` */
  create(given?: NewThread): Promise<ThreadEntry>;
  /** Appends turns; an unknown thread is created. */
  append(id: string, said: SaidTurns): Promise<void>;
  /** Undefined if there is none. @throws `thread.version`, `thread.corrupt` */
  load(id: string): Promise<Thread | undefined>;
  /**
   * Lists threads, most recently continued first. A thread that cannot be read is skipped, and listed in `unreadable`.
   */
  list(query?: ThreadQuery): Promise<Listed<ThreadEntry>>;
  /** Finds threads whose title, summary or turns contain all words of `text`, ignoring case; otherwise like `list`. */
  search(text: string, query?: ThreadQuery): Promise<Listed<ThreadEntry>>;
  /** @throws `thread.unknown` */
  rename(id: string, title: string): Promise<void>;
  /** @throws `thread.unknown` */
  archive(id: string): Promise<void>;
  /** @throws `thread.unknown` */
  unarchive(id: string): Promise<void>;
  /** Marks a thread as complete. @throws `thread.unknown` */
  complete(id: string): Promise<void>;
  /** Deletes a thread with its turns; an unknown one is ignored. */
  remove(id: string): Promise<void>;
  /** Resolves when pending titles and summaries are made: no other promise waits for those. */
  settled(): Promise<void>;
}

/** A turn of a conversation that a run continues. */
export interface EarlierTurn {
  readonly role: 'user' | 'assistant';
  readonly text: string;
  /** The speaker, if it was neither the user nor this agent; see `perspective` of `troupe/memory`. */
  readonly from?: string | undefined;
}
