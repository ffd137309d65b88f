import type { Budget } from './budget.ts';
import type { ContentOptions } from '../content/content-options.ts';
import type { Hook } from '../events/event.ts';
import type { JournalStore } from '../journals/journal.ts';
import type { Inspect } from '../events/inspection.ts';
import type { LogSink } from '../events/log.ts';
import type { Model, ModelChoice } from '../models/model.ts';
import type { MessageLimits } from '../messages/message.ts';
import type { RequestOptions } from '../people/request.ts';
import type { Prices } from '../models/prices.ts';
import type { ExecutableCall, ToolExecutor } from '../tools/executor.ts';
import type { SafetyStrategy } from '../tools/safety.ts';
import type { Secrets } from '../secrets/redactor.ts';
import type { Threads } from '../conversations/thread.ts';
import type { TaskInput } from '../tasks/task.ts';
import type { GivenPart } from '../content/part.ts';
import type { Turn } from '../conversations/transcript.ts';
import type { Json } from '../../base/json/json.ts';
import type { Clock } from '../../base/clock.ts';
import type { TreeLimits } from './tree-limits.ts';
import type { Person } from '../people/person.ts';

/** A resource shared between runs. */
export interface SharedResource {
  /** The model as this run is to ask it: it may have to wait for others, or be refused. Without `use` it is asked apart from any run. */
  around?(model: Model, use?: ModelUse): Model;
  /** Executes every tool call of the run, within the resources before it; its `run` is the next one's, at last the run's own executor. */
  execute?(call: ExecutableCall): unknown;
}

/** The use of a model by an agent of a run. */
export interface ModelUse {
  readonly runId: string;
  /** Address of the agent: `desk/researcher-1`. */
  readonly path: string;
  readonly agent: string;
  /** The `context` of the run; validate it before use. */
  readonly context?: unknown;
  /** The tenant of the run, as `by` of its engine names it. */
  readonly tenant?: string | undefined;
  /** Now, by the run's clock, in ms since 1970. */
  readonly now: () => number;
  /** Emits a custom event (`custom.emitted`) while the model is asked; a replay has it from the record. */
  readonly emit: (name: string, data: Json) => void;
}

/** Options of a run. */
export interface RunOptions {
  /** Default: a random UUID. Must be unique among the current runs of one engine. */
  readonly runId?: string | undefined;
  readonly model?: ModelChoice | undefined;
  /** Aborting it aborts the run. */
  readonly signal?: AbortSignal | undefined;
  readonly hooks?: readonly Hook[] | undefined;
  /**
   * Secrets by name, in addition to those of the process's environment: events, errors, threads and stored journals
   * contain `[redacted NAME]`, or a reference to the name, in their place. Tools and models receive the real values.
   *
   * Resuming a stored run needs the same secrets, else it is refused with `secret.missing`.
   */
  readonly secrets?: Secrets | undefined;
  /**
   * Encrypts fields that a schema marks as secret (`writeOnly: true`, `format: 'password'`) in a stored run, and in the
   * states of its thread: 32 bytes in base64 or hexadecimal digits, as `openssl rand -base64 32` prints; or a list of
   * such keys, of which the first encrypts and each decrypts. Default: the variable `TROUPE_SECRET_KEY`.
   *
   * A stored run with such fields is refused with `secret.missing` if there is no key, `secret.wrong-key` if it does
   * not match, and `secret.invalid` if it is malformed; the same holds on resume.
   */
  readonly secretKey?: string | readonly string[] | undefined;
  /** Receives every error, once for each event that reports one. */
  readonly log?: LogSink | undefined;
  readonly clock?: Clock | undefined;
  /** Answers questions and approvals in place of `handle.reply` and `handle.approve`. */
  readonly person?: Person | undefined;
  /** The time that people may take. */
  readonly requests?: RequestOptions | undefined;
  /** Earlier turns of the conversation to continue, tool cycles included; members of a team see them, too. */
  readonly history?: readonly Turn<GivenPart>[] | undefined;
  /**
   * Name of the conversation that this run belongs to: its runs share memories of scope `thread`, and continue sessions
   * of external engines. Default: the run is a thread of its own.
   *
   * With storage for threads (`threads`, or else `store`), the run continues the thread's conversation, unless it is
   * given a `history`, and appends its input, each call with its result, and its answer or how it ended. The agent's
   * option `conversation.compaction` controls how much of it is shown. Its agents start with their last states in the thread.
   */
  readonly thread?: string | undefined;
  /** Storage of threads; see `threads` of `troupe/memory`. Default: the run's `store`, if there is one. */
  readonly threads?: Threads | undefined;
  /** Decides for every tool call whether it may run. */
  readonly safety?: SafetyStrategy | undefined;
  /** Executes every tool call of the run. Default: each tool executes its own. */
  readonly executor?: ToolExecutor | undefined;
  /**
   * A value for tools, hooks, critics, safety strategies and the agent's own functions (tenant, trace, transaction …):
   * passed on unchanged, to this run only. It is not part of the run's state, of any event or of any record.
   */
  readonly context?: unknown;
  /** Its limits: what all its agents together may use, how many they may be, how much they may do at once. */
  readonly limits?: RunLimits | undefined;
  /**
   * The task of the run: a text, or an objective with constraints, inputs, resources, a budget and success criteria.
   *
   * It is validated before the first step, against the agent's environment, too: each problem (`task.invalid`,
   * `environment.unfit`) has the code and field in its `details`. The agent, or all members of a team, see it
   * before their input, which says what to do with it and may be `''`; criteria are not shown. Its budget overrides the
   * root's own, for this run only, and `limits.budget` overrides both. See `evaluateTask`.
   */
  readonly task?: TaskInput | undefined;
  /** Its media: where their bytes are, their limits, and converters for models that do not take them. */
  readonly content?: ContentOptions | undefined;
  /** Prices of model calls. Default: `@pydantic/genai-prices`, if it is installed. */
  readonly prices?: Prices | undefined;
  /**
   * Stores the run as a journal: it can then be resumed, replayed and forked by its `runId`.
   *
   * Everything that comes into the run is committed before it takes effect; observers see what is committed.
   */
  readonly store?: JournalStore | undefined;
  /**
   * Wrap all models of the run, and its tool calls, the first outermost; a run closes none of them. See `perProvider`.
   */
  readonly resources?: readonly SharedResource[] | undefined;
  /** An XState inspector, or a recorder of `troupe/inspect`; it is wrapped, so that it cannot hurt the run. */
  readonly inspect?: Inspect | undefined;
  /** Start paused, to be stepped. */
  readonly paused?: boolean | undefined;
}

/** The limits of a run, all its agents together; see {@link TreeLimits} for the defaults of the tree. */
export interface RunLimits extends TreeLimits {
  /** The most that the run may use; what it sets takes the place of the root agent's own budget. */
  readonly budget?: Budget | undefined;
  /** Maximum number of concurrent effects in the whole run, at least 1. Default: no limit beyond those of tools. */
  readonly concurrency?: number | undefined;
  /** The limits on talk between its agents. */
  readonly messages?: MessageLimits | undefined;
}

/** The limits that a run may be given when it is resumed: its journal has the others. */
export type LaterLimits = Pick<RunLimits, 'concurrency' | 'messages'>;
