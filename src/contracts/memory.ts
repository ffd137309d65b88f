import type { Json, JsonObject } from './json.ts';
import type { Transcript } from './transcript.ts';

/** Every kind of record. */
export const memoryKinds = [
  'task',
  'observation',
  'decision',
  'action',
  'result',
  'answer',
  'fact',
  'note',
  'run',
  'pattern',
] as const;

/** What a record is about. */
export type MemoryKind = (typeof memoryKinds)[number];

/** One thing worth remembering: plain JSON. */
export interface MemoryRecord {
  readonly kind: MemoryKind;
  readonly text: string;
  /** When, in ms since 1970, by the run's clock. */
  readonly at: number;
  readonly agent?: string | undefined;
  readonly runId?: string | undefined;
  readonly step?: number | undefined;
  readonly metadata?: JsonObject | undefined;
}

/**
 * What an agent keeps beside its conversation: one contract for all kinds.
 *
 * It may work at once or by promise. It may throw: the run then goes on without it, and an event says so.
 */
export interface Memory {
  /**
   * Adds records, in order. A stored run that is taken up again looks by `recall` for those that it may have added before it was cut
   * off, and leaves out what it finds: a memory that finds a record by its text has nothing of a run twice.
   */
  append(records: readonly MemoryRecord[]): void | Promise<void>;
  /** At most `k` records that fit `query`, the best (or newest, where a kind does not judge) last. */
  recall(query: string, k?: number): readonly MemoryRecord[] | Promise<readonly MemoryRecord[]>;
  /** What it holds, in a few lines; at most `k` records are quoted. Empty if it holds nothing. */
  summarise(k?: number): string | Promise<string>;
  /** Lets go of what is past its bound, and says how many records that were. */
  evict(): number | Promise<number>;
  /** Forgets everything. */
  reset(): void | Promise<void>;
}

/**
 * The lifetime of a memory, and who shares it: one run, all runs of an agent, all runs of a thread, or everybody.
 *
 * Memories of scope `run` are forgotten when the run ends.
 */
export type MemoryScope = 'run' | 'agent' | 'thread' | 'shared';

/** Who asks for a memory. */
export interface MemoryPlace {
  readonly runId: string;
  readonly agent: string;
  /** Default: the run is a thread of its own. */
  readonly thread?: string | undefined;
}

/** A memory not yet opened: what an agent is given. */
export interface MemorySource<Kind extends Memory = Memory> {
  readonly name: string;
  readonly scope: MemoryScope;
  /** The memory of that place. Two who open the same one share it. */
  open(place: MemoryPlace): Promise<Kind>;
  /** Called when a run ends: a memory of scope `run` is forgotten, others are written out. */
  release(place: MemoryPlace): Promise<void>;
}

/** Named texts that outlive the process. A name is any string: an implementation makes file names of it. */
export interface KeyValueFiles {
  read(name: string): Promise<string | undefined>;
  /** Whole or not at all, also when the process dies meanwhile. */
  write(name: string, text: string): Promise<void>;
  append(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
  names(): Promise<readonly string[]>;
}

/** Turns texts into vectors of one length. */
export interface Embedder {
  /** Vectors of different embedders are never compared. */
  readonly name: string;
  readonly dimensions: number;
  embed(
    texts: readonly string[],
    signal?: AbortSignal,
  ): readonly Float32Array[] | Promise<readonly Float32Array[]>;
}

/** Finds the nearest of many vectors. */
export interface VectorIndex {
  add(id: string, vector: Float32Array): Promise<void>;
  remove(id: string): Promise<void>;
  /** The `k` nearest, nearest first, by cosine. */
  search(
    vector: Float32Array,
    k: number,
  ): Promise<readonly { readonly id: string; readonly score: number }[]>;
}

/** What an agent is told of its memory. */
export interface MemoryBlock {
  readonly isEnabled: boolean;
  readonly query: string;
  readonly records: readonly MemoryRecord[];
  readonly summary: string;
  /** Why there is nothing, where remembering failed. */
  readonly problem?: Json | undefined;
}

/**
 * What of its memory an agent is told, how often, and how much. It is told by a turn from `memory`, beside what it observes.
 *
 * What the agent itself did in the same run is left out: that is in its conversation.
 */
export interface RecallPolicy {
  /** At the first step of a run, or at each. Default `run`. */
  readonly each?: 'run' | 'step' | undefined;
  /** Records at most. Default 8; 0 recalls nothing. */
  readonly k?: number | undefined;
  /** Default: `task`, `observation`, `result`, `answer`, `fact`, `note`. */
  readonly kinds?: readonly MemoryKind[] | undefined;
  /** What is looked for. Default: what was said to the agent last. */
  readonly query?: ((facts: RecallFacts) => string) | undefined;
  /** A memory that has not answered then is left alone for the rest of the run, in ms. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/** What a query is made from. */
export interface RecallFacts {
  readonly input: Json;
  readonly step: number;
  readonly transcript: Transcript;
}

/** What a memory was to do when it failed. */
export type MemoryWork = 'open' | 'recall' | 'remember' | 'release';
