import type { Json, JsonObject } from '../../base/json/json.ts';
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

/** The subject of a record. */
export type MemoryKind = (typeof memoryKinds)[number];

/** One remembered fact: plain JSON. */
export interface MemoryRecord {
  readonly kind: MemoryKind;
  readonly text: string;
  /** Time, in ms since 1970, by the run's clock. */
  readonly at: number;
  readonly agent?: string | undefined;
  readonly runId?: string | undefined;
  readonly step?: number | undefined;
  readonly metadata?: JsonObject | undefined;
  /** Origins of what its agent had read by then; absent where there were none, or no policy asked for them. A memory keeps them with the text. */
  readonly origins?: readonly string[] | undefined;
}

/**
 * Stores what an agent remembers beside its conversation: one contract for all kinds.
 *
 * Its methods may be synchronous or asynchronous. If one throws, the run continues without it, and an event reports it.
 */
export interface Memory {
  /**
   * Adds records, in order. A resumed run first looks up by `recall` which records it may have added before it was
   * interrupted, and skips those: a memory that finds records by their text stores nothing twice.
   */
  append(records: readonly MemoryRecord[]): void | Promise<void>;
  /** Returns at most `k` records that match `query`, the best (or newest, for kinds that do not rank) last. */
  recall(query: string, k?: number): readonly MemoryRecord[] | Promise<readonly MemoryRecord[]>;
  /** Summarises its content in a few lines; at most `k` records are quoted. Empty if it holds nothing. */
  summarise(k?: number): string | Promise<string>;
  /** Removes records beyond its bound; returns how many. */
  evict(): number | Promise<number>;
  /** Forgets everything. */
  reset(): void | Promise<void>;
}

/**
 * Lifetime of a memory, and who shares it: one run, all runs of an agent, all runs of a thread, or all.
 *
 * Memories of scope `run` are deleted when the run ends. Where an engine names tenants, each has its own of scope `agent` and `thread`.
 */
export type MemoryScope = 'run' | 'agent' | 'thread' | 'shared';

/** The run and agent for which a memory is opened. */
export interface MemoryPlace {
  readonly runId: string;
  readonly agent: string;
  /** Default: the run is a thread of its own. */
  readonly thread?: string | undefined;
  /** The tenant of the run, as `by` of its engine names it. Default: none. */
  readonly tenant?: string | undefined;
}

/** An unopened memory, as an agent is configured with. */
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

/** Orders texts by how well they answer a query. */
export interface Reranker {
  readonly name: string;
  /** Number of records that it is shown, the nearest ones: more than are recalled, so that it has a choice. Default 50. */
  readonly candidates?: number | undefined;
  /** Returns the indexes of the best `k` texts, best first. */
  rank(
    query: string,
    texts: readonly string[],
    k: number,
    signal?: AbortSignal,
  ): readonly number[] | Promise<readonly number[]>;
}

/** Recalled memories, as shown to an agent. */
export interface MemoryBlock {
  readonly isEnabled: boolean;
  readonly query: string;
  readonly records: readonly MemoryRecord[];
  readonly summary: string;
  /** The reason for missing memories, where recall failed. */
  readonly problem?: Json | undefined;
}

/**
 * Controls what an agent recalls from its memories, how often, and how much. Memories arrive in a turn of role
 * `memory`, beside observations.
 *
 * The agent's own actions in the same run are left out: they are in its conversation.
 */
export interface RecallPolicy {
  /** At the first step of a run, or at each. Default `run`. */
  readonly each?: 'run' | 'step' | undefined;
  /** Maximum number of records. Default 8; 0 recalls nothing. */
  readonly k?: number | undefined;
  /** Default: `task`, `observation`, `result`, `answer`, `fact`, `note`. */
  readonly kinds?: readonly MemoryKind[] | undefined;
  /** The search query. Default: the last message to the agent. */
  readonly query?: ((facts: RecallFacts) => string) | undefined;
  /** A memory that has not answered then is left alone for the rest of the run, in ms. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/** The input of a query function. */
export interface RecallFacts {
  readonly input: Json;
  readonly step: number;
  readonly transcript: Transcript;
}

/** The memory operation that failed. */
export type MemoryWork = 'open' | 'recall' | 'remember' | 'release';
