import type {
  Environment,
  EnvironmentAction,
  EnvironmentScope,
} from '../../contracts/environments/environment.ts';
import type { EnvironmentOps, OpsGroup } from '../../contracts/environments/operations.ts';
import type { EnvironmentOutcome, EnvironmentStep } from '../../contracts/environments/environment-step.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { IssueCode, PreflightIssue } from '../../contracts/tasks/task.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { groupsOf } from './requiring.ts';

/** The end of an environment, at the end of a step. */
export interface EnvironmentEnd {
  readonly environment: string;
  readonly detail: string;
}

/**
 * An environment within one run: catches everything that it throws.
 *
 * I1  `close` and `teardown` are called exactly once each if `setup` was started, however the run ends.
 * I2  The reaction to a step is plain JSON; a step that throws becomes one with an `error`.
 *
 * @example
 * const session = new EnvironmentSession(environment, { runId, path });
 * const issues = await session.open(requirementsOf(tools));
 * await session.observe(); // the first observation is what `reset` gave
 * await session.close();
 */
export class EnvironmentSession {
  readonly #environment: Environment;
  readonly #scope: EnvironmentScope;
  /** An observation that was not reported yet. */
  #seen: { readonly observation: Json | undefined } | undefined;
  #isOpened = false;

  constructor(environment: Environment, scope: EnvironmentScope) {
    this.#environment = environment;
    this.#scope = scope;
  }

  get name(): string {
    return this.#environment.name;
  }

  /** The operations for tools. */
  get ops(): EnvironmentOps {
    return this.#environment.ops;
  }

  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Sets it up again for a run resumed by another process, without a reset. Returns the problems. */
  async reopen(): Promise<readonly PreflightIssue[]> {
    const issues: PreflightIssue[] = [];
    this.#isOpened = true;
    await this.#tried('set up', issues, () => this.#environment.setup?.(this.#scope));
    return issues;
  }

  /** Sets it up and checks it; returns all problems that prevent the run from starting. */
  async open(
    required: ReadonlyMap<OpsGroup, readonly string[]> = new Map(),
  ): Promise<readonly PreflightIssue[]> {
    const environment = this.#environment;
    const issues: PreflightIssue[] = [];
    this.#isOpened = true;
    if (!(await this.#tried('set up', issues, () => environment.setup?.(this.#scope)))) return issues;
    const isLookedAt = await this.#tried('check the health of', issues, async () => {
      const health = await environment.healthCheck?.();
      if (health?.ok !== false) return;
      const message = `Cannot use the environment '${this.name}' as it is unhealthy: ${health.reason ?? 'no reason was given'}`;
      issues.push({ code: 'environment.unhealthy', field: 'environment', message });
    });
    await this.#tried('read the operations of', issues, () => {
      issues.push(...missingGroups(environment.ops, required, this.name));
    });
    if (!isLookedAt || issues.length > 0) return issues;
    await this.#tried('reset', issues, async () => {
      const observation = await environment.reset?.(this.#scope.task);
      if (observation !== undefined) this.#seen = { observation: toJson(observation) };
    });
    return issues;
  }

  /** Returns the current observation. Throws as the environment does: the run cannot continue blind. */
  async observe(): Promise<Json | undefined> {
    const seen = this.#seen;
    this.#seen = undefined;
    if (seen !== undefined) return seen.observation;
    const observation = await this.#environment.observe?.();
    return observation === undefined ? undefined : toJson(observation);
  }

  /** Reports an action to the environment. Never rejects. */
  step(action: EnvironmentAction): EnvironmentStep | Promise<EnvironmentStep> {
    if (this.#environment.step === undefined) return NOTHING;
    try {
      const step = this.#environment.step(action);
      return isThenable(step)
        ? Promise.resolve(step).then((found) => this.#stepped(found), failedStep)
        : this.#stepped(step);
    } catch (thrown) {
      return failedStep(thrown);
    }
  }

  /** Returns the end of the environment and its reason; undefined while it continues. Never rejects. */
  async end(step: EnvironmentStep = NOTHING): Promise<EnvironmentEnd | undefined> {
    if (step.done === true) return { environment: this.name, detail: 'done' };
    try {
      const said = (await this.#environment.isTerminal?.()) ?? false;
      if (said === false) return undefined;
      return { environment: this.name, detail: typeof said === 'string' ? said : 'terminal' };
    } catch {
      // An environment that fails to answer has not ended.
      return undefined;
    }
  }

  /**
   * Returns the environment's reaction to an action, with its end if there was one; undefined if there is nothing to
   * report.
   */
  async outcome(action: EnvironmentAction): Promise<EnvironmentOutcome | undefined> {
    const environment = this.#environment;
    if (environment.step === undefined && environment.isTerminal === undefined) return undefined;
    const step = await this.step(action);
    const end = await this.end(step);
    return end === undefined ? step : { ...step, end };
  }

  /** Closes and tears down; returns the problems. Idempotent. */
  async close(): Promise<readonly PreflightIssue[]> {
    const issues: PreflightIssue[] = [];
    if (!this.#isOpened) return issues;
    this.#isOpened = false;
    await this.#tried('close', issues, () => this.#environment.close?.());
    await this.#tried('tear down', issues, () => this.#environment.teardown?.());
    return issues;
  }

  #stepped(step: EnvironmentStep): EnvironmentStep {
    const { observation, done, reward, info, error } = step;
    if (observation !== undefined) this.#seen = { observation: toJson(observation) };
    return {
      ...(observation === undefined ? {} : { observation: toJson(observation) }),
      ...(done === undefined ? {} : { done: done === true }),
      ...(reward === undefined || !Number.isFinite(reward) ? {} : { reward }),
      ...(info === undefined ? {} : { info: toJson(info) }),
      ...(error === undefined ? {} : { error: messageOf(error) }),
    };
  }

  async #tried(what: string, issues: PreflightIssue[], work: () => void | Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      const code: IssueCode = 'environment.threw';
      const message = `Cannot ${what} the environment '${this.name}' as it threw: ${messageOf(thrown)}`;
      issues.push({ code, field: 'environment', message });
      return false;
    }
  }
}

const NOTHING: EnvironmentStep = {};

const failedStep = (thrown: unknown): EnvironmentStep => ({ error: messageOf(thrown) });

const missingGroups = (
  ops: EnvironmentOps,
  required: ReadonlyMap<OpsGroup, readonly string[]>,
  name: string,
): readonly PreflightIssue[] => {
  const offered = groupsOf(ops);
  return [...required].flatMap(([group, tools]) =>
    offered.includes(group)
      ? []
      : [
          {
            code: 'environment.group-missing' as const,
            field: group,
            message: `Cannot use ${tools.join(', ')} as the environment '${name}' does not offer '${group}': found ${offered.join(', ') || 'none'}`,
          },
        ],
  );
};
