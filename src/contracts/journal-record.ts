import type { Budget } from './budget.ts';
import type { ErrorData } from './error.ts';
import type { RuntimeEvent } from './event.ts';
import type { Json } from './json.ts';
import type { MemoryRecord } from './memory.ts';
import type { Message } from './message.ts';
import type { Usage } from './model.ts';
import type { Outcome } from './run.ts';
import type { StopReason } from './stop.ts';
import type { RawAnswer, SentRequest } from './sent-request.ts';
import type { TaskInput } from './task.ts';
import type { Artifact, ToolSpec } from './tool.ts';
import type { Turn } from './transcript.ts';
import type { TreeLimits } from './tree-limits.ts';

/** The version of every record written by this release. */
export const JOURNAL_VERSION = 1;

/**
 * What a journal holds, in order: what the run was begun with, all that came into it from outside, and every event.
 *
 * What came from outside makes all the rest: whoever tells it to the same machines again, in this order, is told the same
 * events. That is what resuming, replaying and forking do; an event that differs is a divergence.
 */
export type JournalRecord = Began | Happened | Arrived;

/** What a run was begun with: always the first record. */
export interface Began {
  readonly kind: 'began';
  readonly at: number;
  readonly runId: string;
  readonly agent: string;
  readonly input: Json;
  readonly thread?: string | undefined;
  readonly history?: readonly Turn[] | undefined;
  /** What the agents of its thread had come to, by their names. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  readonly task?: TaskInput | undefined;
  readonly budget?: Recorded<Budget> | undefined;
  readonly limits?: Recorded<TreeLimits> | undefined;
  /** `digest`: the idempotency keys of its calls end with a digest of their arguments. Absent in journals of 0.1, where they do not. */
  readonly keys?: 'digest' | undefined;
  /** Where it parted from another run: that run's records up to there come next, under this run's id. */
  readonly fork?: ForkPoint | undefined;
}

/** Limits as JSON can hold them: `'Infinity'` is no limit. */
export type Recorded<Limits extends object> = { readonly [Name in keyof Limits]: Limits[Name] | 'Infinity' };

/** Where a run parted from another. */
export interface ForkPoint {
  readonly runId: string;
  /** The number of the first event that is not shared. */
  readonly seq: number;
}

/** An event, without what is the same for all of them. */
export interface Happened {
  readonly kind: 'event';
  /** The address of the scope; absent for the run's own. */
  readonly scope?: string | undefined;
  /** Set where it was told from outside (an effect, a person, an observer), and then when; see {@link Arrived}. */
  readonly tick?: number | undefined;
  readonly event: RecordedEvent;
}

/** An event without version and run: those are the journal's. */
export type RecordedEvent = RuntimeEvent extends infer One
  ? One extends RuntimeEvent
    ? Omit<One, 'v' | 'runId'>
    : never
  : never;

/** Something that came into the run from outside. */
export interface Arrived {
  readonly kind: 'arrived';
  /**
   * The address of the scope that it came into; absent for the run's own. A child that an effect runs (`context.run`, a judge) is
   * a scope of its own: what an effect has answered once is not done again, and nor is what it ran.
   */
  readonly scope?: string | undefined;
  /** The work of the scope by then: its jobs and its events, counted. */
  readonly tick: number;
  readonly at: number;
  readonly arrival: Arrival;
}

/** What can come into a run. */
export type Arrival =
  /** What the effect gave: plain JSON, as a machine is told nothing else. */
  | { readonly type: 'answered'; readonly key: string; readonly output?: unknown }
  | { readonly type: 'failed'; readonly key: string; readonly error: ErrorData }
  | { readonly type: 'message'; readonly path: string; readonly message: Message }
  /** The agent at `path` wants what is published under a topic, or no more. */
  | { readonly type: 'subscribed'; readonly path: string; readonly topic: string; readonly isOn: boolean }
  | { readonly type: 'abort'; readonly reason: string }
  /** The time of the agent or team at `path` is up. */
  | { readonly type: 'expired'; readonly path: string; readonly reason: StopReason }
  /** An effect runs an agent: the `index`-th that it runs. */
  | {
      readonly type: 'engaged';
      readonly key: string;
      readonly index: number;
      readonly path: string;
      readonly agent: string;
      readonly input: Json;
    }
  /** A person answered the `index`-th question of an effect. */
  | { readonly type: 'told'; readonly key: string; readonly index: number; readonly text: string }
  /** Somebody outside the scope stopped its root. */
  | { readonly type: 'stopped'; readonly reason: string }
  /** The actor at `path` came to an end that its machine knows nothing of. */
  | { readonly type: 'broke'; readonly path: string; readonly outcome: Outcome }
  | {
      readonly type: 'charged';
      readonly path: string;
      readonly model: string;
      readonly usage: Usage;
      readonly costUsd?: number | undefined;
    }
  | { readonly type: 'kept'; readonly path: string; readonly artifacts: readonly Artifact[] }
  /** The part of the budget at `path` that is used by now. */
  | {
      readonly type: 'drawn';
      readonly path: string;
      readonly used: BudgetDrawn;
      /** The effect that took a step or a call. */
      readonly key?: string | undefined;
    }
  /** What an agent tells its models of itself, composed once for as long as a process has the run. */
  | {
      readonly type: 'prompted';
      readonly path: string;
      readonly agent: string;
      readonly prompt: string;
      readonly tools: readonly ToolSpec[];
    }
  /** What the agent at `path` sends its model by the call of that key, as what is new in it. */
  | { readonly type: 'sent'; readonly key: string; readonly path: string; readonly request: SentRequest }
  /** What came back beside what `model.answered` tells. */
  | { readonly type: 'heard'; readonly key: string; readonly answer: RawAnswer }
  /** The agent at `path` is about to write to its memories; what an effect has it write is here, what its machine has is made again. */
  | {
      readonly type: 'remembering';
      readonly key: string;
      readonly path: string;
      readonly records?: readonly MemoryRecord[] | undefined;
    }
  /** What was remembered is in the memories, as far as those took it. */
  | { readonly type: 'remembered'; readonly key: string }
  /** Toolsets and memories are let go of: the run may end. */
  | { readonly type: 'closed' }
  /** It was later by now: something else in the run had happened meanwhile. */
  | { readonly type: 'time' }
  /** Another process goes on with the run. */
  | { readonly type: 'resumed' };

/** What was used of a budget; dollars in billionths. */
export interface BudgetDrawn {
  readonly steps: number;
  readonly tokens: number;
  readonly usd: number;
  readonly toolCalls: number;
  /** When its time began to run. */
  readonly since?: number | undefined;
}
