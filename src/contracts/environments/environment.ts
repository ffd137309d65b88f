import type { Json } from '../../base/json/json.ts';
import type { Task } from '../tasks/task.ts';
import type { ToolContext } from '../tools/tool.ts';
import type { ToolResult } from '../tools/tool-result.ts';
import type { EnvironmentOps, OpsHolder } from './operations.ts';
import type { EnvironmentStep } from './environment-step.ts';
import type { EnvironmentSpec } from './environment-spec.ts';

/** The run that an environment is set up for. */
export interface EnvironmentScope {
  readonly runId: string;
  readonly path: string;
  readonly task?: Task | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An agent's action: one tool call and its result. */
export interface EnvironmentAction {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly result: ToolResult;
}

/** The health of an environment. */
export interface EnvironmentHealth {
  readonly ok: boolean;
  readonly reason?: string | undefined;
}

/**
 * The world that an agent acts in: it can be observed, changes with the agent's actions, and provides operations to
 * tools.
 *
 * A run calls `setup`, `healthCheck`, `reset`, then `observe` and `step` in turn, and always `close` and `teardown` at
 * the end. Only the name and the operations are required. Anything thrown becomes data: a problem that ends the run
 * before its first step, or a step with an `error`.
 *
 * @example
 * const counter = (): Environment => {
 *   let clicks = 0;
 *   return {
 *     name: 'counter',
 *     ops: {},
 *     observe: () => ({ clicks }),
 *     step: () => ({ done: (clicks += 1) >= 3 }),
 *   };
 * };
 */
export interface Environment {
  readonly name: string;
  /** The operations it offers; read after `setup`. */
  readonly ops: EnvironmentOps;
  /**
   * Fields that a task may use to select this environment. Default: its name is the `type`, and nothing else is
   * accepted.
   */
  readonly spec?: EnvironmentSpec | undefined;
  /** Called before the first step of a run: acquires its resources. */
  setup?(scope: EnvironmentScope): void | Promise<void>;
  healthCheck?(): EnvironmentHealth | Promise<EnvironmentHealth>;
  /** Resets it to its initial state; returns the first observation. */
  reset?(task: Task | undefined): Json | undefined | Promise<Json | undefined>;
  observe?(): Json | undefined | Promise<Json | undefined>;
  /** Called after each tool call, with its result. */
  step?(action: EnvironmentAction): EnvironmentStep | Promise<EnvironmentStep>;
  /** Returns true, or a reason, once the environment is finished. */
  isTerminal?(): string | boolean | Promise<string | boolean>;
  /** Called after a run: releases what this run acquired. */
  close?(): void | Promise<void>;
  /** After `close`: undoes `setup`. */
  teardown?(): void | Promise<void>;
}

/** A tool's context, with the operations of the run's environment. */
export type OpsContext = ToolContext & OpsHolder;
