import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Json, JsonObject } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { oneLine } from '../../base/text/printable.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { ToolContext } from '../../contracts/tools/tool.ts';
import type { Pause } from './call-timer.ts';
import type { McpTask } from './mcp-task.ts';
import {
  answeredCode,
  awaitResult,
  getTask,
  isUnknownTask,
  notFollowing,
  parseResult,
  updateTask,
} from './mcp-task.ts';
import type { Perform } from './reading-tools.ts';

/** Bounds and default of the time between two polls, in ms. */
const SHORTEST_POLL_MS = 100;
const LONGEST_POLL_MS = 60_000;
const POLL_MS = 1_000;

/** Polls in a row that may fail. */
const MAX_FAILURES = 8;

/** Requests for input of one task. */
const MAX_INPUTS = 100;

/** Messages of a task that are progress; more are dropped. */
const MAX_MESSAGES = 200;

/** A task to follow on behalf of a call. */
export interface FollowedTask {
  readonly taskId: string;
  /** Its first state; undefined if it is known from a checkpoint only. */
  readonly created?: McpTask | undefined;
  /** Responses to its requests that may not have arrived, by key. */
  readonly responses?: JsonObject | undefined;
  /** The end of "Cannot …": `call 'dig' of the MCP server 'mine'`. */
  readonly doing: string;
  readonly server: string;
  readonly context: ToolContext;
  /** Time limit, in ms, not counting the time that a person takes to answer. */
  readonly timeoutMs: number;
  readonly isLegacy: () => boolean;
  /** Works with the server in the time of one request; `pause` is called where it asks a person. */
  readonly perform: Perform;
  /** Answers what the server asks. */
  readonly respond: (
    request: { readonly method: string; readonly params?: unknown },
    pause: Pause,
  ) => Promise<Json>;
}

/** The checkpoint of a call that is a task. */
export interface TaskCheckpoint {
  readonly server: string;
  readonly task: string;
  /** Responses to the requests of the task that may not have arrived, by key. */
  readonly responses: JsonObject;
}

/** The checkpoint of a call of a server's tool; undefined for any other value. */
export const taskCheckpointIn = (value: Json | undefined, server: string): TaskCheckpoint | undefined => {
  if (!isJsonObject(value) || value['server'] !== server) return undefined;
  const { task, responses } = value;
  return typeof task === 'string' && isJsonObject(responses) ? { server, task, responses } : undefined;
};

/**
 * Follows a task to its end.
 *
 * I1 Its id is committed before it is polled, so that a call that is executed again follows this very task.
 * I2 A person's answer is committed before it is sent, so that it is neither lost nor given to another question.
 */
export class TaskFollower {
  readonly #task: FollowedTask;
  #endsAt: number;
  /** Responses to the requests of the task, by key. */
  #responses: JsonObject;
  readonly #sent = new Set<string>();
  #inputs = 0;
  #failures = 0;
  #messages = 0;
  #said: string | undefined;
  /** True once the server has ended the task, or does not know it any more. */
  isOver = false;

  constructor(task: FollowedTask) {
    this.#task = task;
    this.#responses = task.responses ?? {};
    this.#endsAt = task.context.now() + task.timeoutMs;
  }

  /** Resolves with the result of the call. */
  async follow(): Promise<CallToolResult> {
    const { created } = this.#task;
    if (created !== undefined) await this.#wait(created);
    for (;;) {
      const state = await this.#poll();
      if (state === undefined) continue;
      const result = await this.#advance(state);
      if (result !== undefined) return result;
      await this.#wait(state);
    }
  }

  /** The state of the task; undefined if it could not be had this time. */
  async #poll(): Promise<McpTask | undefined> {
    const { taskId, doing, context, perform } = this.#task;
    try {
      const state = await perform(doing, context, (client, options) => getTask(client, taskId, options));
      this.#failures = 0;
      return state;
    } catch (thrown) {
      await this.#bear(thrown);
      return undefined;
    }
  }

  /** Waits before the next poll after one that failed; throws if there is no use in it. */
  async #bear(thrown: unknown): Promise<void> {
    const { doing, taskId, context } = this.#task;
    if (context.signal.aborted) throw thrown;
    if (isUnknownTask(thrown)) {
      const message = `Cannot ${doing} any further as the server does not know its task: '${oneLine(taskId, 100)}'. It expired, or the server lost it; what it was to do may be done`;
      throw this.#over(new TroupeError('mcp.expired', message, { retryable: 'no', cause: thrown }));
    }
    this.#failures += 1;
    const isPassing =
      isTroupeError(thrown) && (PASSING.has(thrown.code) || answeredCode(thrown) !== undefined);
    if (!isPassing || this.#failures > MAX_FAILURES) throw thrown;
    await this.#pause(POLL_MS * 2 ** (this.#failures - 1));
  }

  /** Acts on a state: the result, if there is one. */
  async #advance(state: McpTask): Promise<CallToolResult | undefined> {
    const { isLegacy } = this.#task;
    this.#report(state);
    switch (state.status) {
      case 'working':
        return undefined;
      case 'input_required':
        return isLegacy() ? this.#result() : this.#respond(state);
      case 'completed':
        return isLegacy() ? this.#result() : this.#completed(state);
      case 'failed':
        // In 2025-11-25 also a call whose result says that it failed.
        if (isLegacy()) return this.#result();
        throw this.#over(this.#failed(state.error?.message ?? state.statusMessage ?? 'it gives no reason'));
      case 'cancelled':
        throw this.#over(
          new TroupeError(
            'tool.failed',
            `Cannot ${this.#task.doing} as the server cancelled its task: ${oneLine(state.statusMessage ?? 'it gives no reason', 500)}`,
            { retryable: 'no' },
          ),
        );
    }
  }

  async #completed({ result }: McpTask): Promise<CallToolResult> {
    this.isOver = true;
    if (result === undefined) throw notFollowing('its task is completed and has no result');
    return parseResult(result);
  }

  async #result(): Promise<CallToolResult | undefined> {
    const { taskId, doing, context, perform } = this.#task;
    try {
      const result = await perform(
        doing,
        context,
        (client, options) => awaitResult(client, taskId, options),
        { taskId, pause: this.#standing },
      );
      this.isOver = true;
      return result;
    } catch (thrown) {
      // The call was made, and failed with this error.
      if (answeredCode(thrown) !== undefined) throw this.#over(thrown);
      await this.#bear(thrown);
      return undefined;
    }
  }

  #failed(reason: string): TroupeError {
    const message = `Cannot ${this.#task.doing} as its task failed: ${oneLine(reason, 500)}`;
    return new TroupeError('tool.failed', message, { retryable: 'no' });
  }

  /** Answers those requests of a task that have no answer yet. */
  async #respond({ inputRequests = {} }: McpTask): Promise<undefined> {
    const { taskId, doing, context, perform, respond } = this.#task;
    const open = Object.entries(inputRequests);
    this.#responses = pick(this.#responses, new Set(Object.keys(inputRequests)));
    for (const [key, request] of open) {
      if (Object.hasOwn(this.#responses, key)) continue;
      this.#inputs += 1;
      if (this.#inputs > MAX_INPUTS) throw notFollowing(`its task asks for more than ${MAX_INPUTS} inputs`);
      const response = await respond(request, this.#standing);
      this.#responses = { ...this.#responses, [key]: response };
      await this.#commit(0);
    }
    const unsent = pick(
      this.#responses,
      new Set(open.map(([key]) => key).filter((key) => !this.#sent.has(key))),
    );
    if (Object.keys(unsent).length === 0) return undefined;
    try {
      await perform(doing, context, (client, options) => updateTask(client, taskId, unsent, options));
      for (const key of Object.keys(unsent)) this.#sent.add(key);
    } catch (thrown) {
      await this.#bear(thrown);
    }
    return undefined;
  }

  /** The time of the task stands still during work. */
  readonly #standing: Pause = async (work) => {
    const { now } = this.#task.context;
    const from = now();
    try {
      return await work();
    } finally {
      this.#endsAt += now() - from;
    }
  };

  #report({ statusMessage }: McpTask): void {
    if (statusMessage === undefined || statusMessage === this.#said || this.#messages >= MAX_MESSAGES) return;
    this.#said = statusMessage;
    this.#messages += 1;
    this.#task.context.progress(oneLine(statusMessage));
  }

  async #wait(state: McpTask): Promise<void> {
    this.#report(state);
    const { status, pollIntervalMs, pollInterval = POLL_MS } = state;
    const isWaiting = status === 'working' || status === 'input_required';
    await this.#pause(isWaiting ? (pollIntervalMs ?? pollInterval) : 0);
  }

  /** Waits, but no longer than the task may take. */
  async #pause(ms: number): Promise<void> {
    const { context, doing, timeoutMs } = this.#task;
    const bounded = Math.max(SHORTEST_POLL_MS, Math.min(Number.isFinite(ms) ? ms : POLL_MS, LONGEST_POLL_MS));
    const leftMs = this.#endsAt - context.now();
    if (leftMs <= 0)
      throw new TroupeError(
        'tool.timeout',
        `Cannot ${doing} as its task is past its time-out: ${timeoutMs} ms`,
        { retryable: 'no' },
      );
    await this.#commit(ms === 0 ? 0 : Math.min(bounded, leftMs));
  }

  #commit(waitMs: number): Promise<void> {
    const { server, taskId, context } = this.#task;
    const checkpoint: TaskCheckpoint = { server, task: taskId, responses: this.#responses };
    return context.checkpoint(toJson(checkpoint), waitMs);
  }

  #over<Thrown>(thrown: Thrown): Thrown {
    this.isOver = true;
    return thrown;
  }
}

/** Failures of a poll after which the next may succeed: the task is not touched by them. */
const PASSING: ReadonlySet<string> = new Set(['mcp.lost', 'mcp.unavailable', 'tool.timeout']);

const pick = (fields: JsonObject, keys: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => keys.has(key)));
