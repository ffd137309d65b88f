import type { Budget } from '../runs/budget.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { RuntimeEvent } from '../events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { MemoryRecord } from '../conversations/memory.ts';
import type { Message } from '../messages/message.ts';
import type { Usage } from '../models/usage.ts';
import type { Outcome } from '../runs/outcome.ts';
import type { StopReason } from '../agents/stop-reason.ts';
import type { RawAnswer, SentRequest } from '../models/sent-request.ts';
import type { TaskInput } from '../tasks/task.ts';
import type { Artifact } from '../tools/tool-result.ts';
import type { ToolSpec } from '../tools/tool-call.ts';
import type { Turn } from '../conversations/transcript.ts';
import type { TreeLimits } from '../runs/tree-limits.ts';

/**
 * One record of a journal. Its journal holds, in order: the run's start options, every arrival from outside, and every
 * event.
 *
 * Arrivals determine everything else: the same machines, given the same arrivals in the same order, produce the same
 * events. Resuming, replaying and forking rely on that; an event that differs is a divergence.
 */
export type JournalRecord = Began | Happened | Arrived;

/** The start options of a run: always the first record. */
export interface Began {
  readonly kind: 'began';
  readonly at: number;
  readonly runId: string;
  readonly agent: string;
  readonly input: Json;
  readonly thread?: string | undefined;
  /** The tenant that its engine named. */
  readonly tenant?: string | undefined;
  readonly history?: readonly Turn[] | undefined;
  /** Last states of the agents of its thread, by name. */
  readonly states?: Readonly<Record<string, Json>> | undefined;
  readonly task?: TaskInput | undefined;
  readonly budget?: Recorded<Budget> | undefined;
  readonly limits?: Recorded<TreeLimits> | undefined;
  /** True if a safety strategy judges its calls: without one it is not resumed. */
  readonly judged?: true | undefined;
  /** `digest`: the idempotency keys of its calls end with a digest of their arguments. Absent in journals of 0.1, where they do not. */
  readonly keys?: 'digest' | undefined;
  /** The fork point: that run's records up to there come next, under this run's id. */
  readonly fork?: ForkPoint | undefined;
}

/** Limits in a form that JSON can hold: `'Infinity'` is no limit. */
export type Recorded<Limits extends object> = { readonly [Name in keyof Limits]: Limits[Name] | 'Infinity' };

/** The point at which a run was forked from another. */
export interface ForkPoint {
  readonly runId: string;
  /** The number of the first event that is not shared. */
  readonly seq: number;
  /** The agent and the step at which it was forked; absent in journals of before. */
  readonly path?: string | undefined;
  readonly step?: number | undefined;
  /** The time of the fork, in ms since 1970; absent in journals of before. */
  readonly at?: number | undefined;
  /** The person who forked it, as the caller named them. */
  readonly by?: string | undefined;
  /** The event of that run which the fork has otherwise. */
  readonly changed?: ForkedEvent | undefined;
}

/** An event that a fork has otherwise than the run that it was forked from: of a state, the step's reduction that it came by, or the preparation. */
export interface ForkedEvent {
  /** Its number in that run. */
  readonly seq: number;
  readonly type: 'model.answered' | 'tool.finished' | 'message.sent' | 'agent.reduced' | 'agent.prepared';
  /** Of a model call its key, without the run. */
  readonly key?: string | undefined;
}

/** An event, without the fields shared by all. */
export interface Happened {
  readonly kind: 'event';
  /** The address of the scope; absent for the run's own. */
  readonly scope?: string | undefined;
  /** Set if it was caused from outside (an effect, a person, an observer), with the time; see {@link Arrived}. */
  readonly tick?: number | undefined;
  readonly event: RecordedEvent;
}

/** An event without version and run: those are the journal's. */
export type RecordedEvent = RuntimeEvent extends infer One
  ? One extends RuntimeEvent
    ? Omit<One, 'v' | 'runId'>
    : never
  : never;

/** An arrival: something that came into the run from outside. */
export interface Arrived {
  readonly kind: 'arrived';
  /**
   * Address of the scope that it came into; absent for the run's own. A child that an effect runs (`context.run`, a
   * judge) has a scope of its own: a completed effect is not executed again, and neither is its child.
   */
  readonly scope?: string | undefined;
  /** The work of the scope by then: its jobs and its events, counted. */
  readonly tick: number;
  readonly at: number;
  readonly arrival: Arrival;
}

/** The kinds of arrivals. */
export type Arrival =
  /** The result of an effect: plain JSON, like everything that a machine receives. */
  | { readonly type: 'answered'; readonly key: string; readonly output?: unknown }
  | { readonly type: 'failed'; readonly key: string; readonly error: ErrorData }
  | { readonly type: 'message'; readonly path: string; readonly message: Message }
  /** The state that the agent at `path` has after a step, in place of what its rules made of it: a fork has changed it. */
  | { readonly type: 'state'; readonly path: string; readonly step: number; readonly state: Json }
  /** The agent at `path` subscribes to a topic, or unsubscribes. */
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
  /** A call of a tool or a model, by its key, committed a value to continue from; its effect had asked that many questions. */
  | { readonly type: 'checkpointed'; readonly key: string; readonly value: Json; readonly asked: number }
  /** The root of the scope was stopped from outside. */
  | { readonly type: 'stopped'; readonly reason: string }
  /** The actor at `path` ended for a reason outside its machine. */
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
      /** The effect that used a step or a call. */
      readonly key?: string | undefined;
    }
  /** The system prompt that an agent sends its models, composed once for as long as a process holds the run. */
  | {
      readonly type: 'prompted';
      readonly path: string;
      readonly agent: string;
      readonly prompt: string;
      readonly tools: readonly ToolSpec[];
    }
  /**
   * The request that the agent at `path` sends its model in the call of that key, as the difference to the one before.
   */
  | { readonly type: 'sent'; readonly key: string; readonly path: string; readonly request: SentRequest }
  /** The parts of a raw answer that `model.answered` does not contain. */
  | { readonly type: 'heard'; readonly key: string; readonly answer: RawAnswer }
  /**
   * The agent at `path` is about to write to its memories; records written by an effect are kept here, those written by
   * its machine are computed again.
   */
  | {
      readonly type: 'remembering';
      readonly key: string;
      readonly path: string;
      readonly records?: readonly MemoryRecord[] | undefined;
    }
  /** The records are in the memories, as far as those accepted them. */
  | { readonly type: 'remembered'; readonly key: string }
  /** Toolsets and memories are released: the run may end. */
  | { readonly type: 'closed' }
  /** Time had moved on: something else had happened in the run meanwhile. */
  | { readonly type: 'time' }
  /** Another process continues the run. */
  | { readonly type: 'resumed' };

/** Use of a budget; dollars in billionths. */
export interface BudgetDrawn {
  readonly steps: number;
  readonly tokens: number;
  readonly usd: number;
  readonly toolCalls: number;
  /** Start of its time limit, in ms since 1970. */
  readonly since?: number | undefined;
}
