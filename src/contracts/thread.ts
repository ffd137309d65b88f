import type { Listed } from './listed.ts';
import type { Json } from './json.ts';
import type { EarlierTurn, RunStatus } from './run.ts';
import type { Turn } from './transcript.ts';

/** A turn to be added to a thread: what was said, called or answered. */
export type SaidTurn = (Turn | EarlierTurn) & {
  /** Who spoke, where it was neither the user nor the agent of the run. */
  readonly from?: string | undefined;
  /** How the run ended that it is of; on the last turn of one. */
  readonly status?: RunStatus | undefined;
};

/** A turn of a thread: what was said, called or answered, and when. */
export type ThreadTurn = Turn & {
  readonly from?: string | undefined;
  /** How the run ended that it is of; on the last turn of one. */
  readonly status?: RunStatus | undefined;
  /** In ms since 1970. */
  readonly at: number;
  /** The run that it is of, where it is one's. */
  readonly runId?: string | undefined;
};

/** What is known of a thread without its turns. */
export interface ThreadEntry {
  readonly id: string;
  readonly title: string;
  /** What it is about so far; absent where nobody sums up. */
  readonly summary?: string | undefined;
  readonly isArchived: boolean;
  /** Said to be done with; it can be gone on with all the same. */
  readonly isComplete: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A thread and all that was said in it. */
export interface Thread extends ThreadEntry {
  readonly turns: readonly ThreadTurn[];
  /** The states that the agents of its runs came to last, by their names. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  /** What a crash left of lines that were being written, or somebody damaged: passed over, and named. Empty as a rule. */
  readonly skipped: readonly SkippedLine[];
}

/** A line of a thread that cannot be read. */
export interface SkippedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** A thread that is begun before anything was said. */
export interface NewThread {
  /** Default: a random UUID. */
  readonly id?: string | undefined;
  /** Default: as soon as something is said, made of that. */
  readonly title?: string | undefined;
}

/** Which threads. */
export interface ThreadQuery {
  /** Archived ones, too. Default false. */
  readonly archived?: boolean | undefined;
  /** At most that many. Default: all. */
  readonly limit?: number | undefined;
}

/** What was said, to be added to a thread. */
export interface SaidTurns {
  readonly turns: readonly SaidTurn[];
  /** What the agents of the run came to, by their names. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  /** The run that said it: a run is added once, however often that is asked for. */
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
  /** Adds what was said; a thread that is not there is begun. */
  append(id: string, said: SaidTurns): Promise<void>;
  /** Undefined where there is none. @throws `thread.version`, `thread.corrupt` */
  load(id: string): Promise<Thread | undefined>;
  /** Newest first, by when they were last gone on with. A thread that cannot be read is left out, and named in `unreadable`. */
  list(query?: ThreadQuery): Promise<Listed<ThreadEntry>>;
  /** Those in whose title, summary or turns all words of `text` are, whatever their case; newest first, and else like `list`. */
  search(text: string, query?: ThreadQuery): Promise<Listed<ThreadEntry>>;
  /** @throws `thread.unknown` */
  rename(id: string, title: string): Promise<void>;
  /** @throws `thread.unknown` */
  archive(id: string): Promise<void>;
  /** @throws `thread.unknown` */
  unarchive(id: string): Promise<void>;
  /** Says that it is done with. @throws `thread.unknown` */
  complete(id: string): Promise<void>;
  /** Removes it with its turns; one that is not there is left alone. */
  remove(id: string): Promise<void>;
  /** Resolves when titles and summaries under way are made: no other promise waits for those. */
  settled(): Promise<void>;
}
