import type {
  Environment,
  EnvironmentAction,
  EnvironmentOps,
  EnvironmentOutcome,
  EnvironmentScope,
  EnvironmentStep,
  OpsGroup,
} from '../../contracts/environment.ts';
import { messageOf } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import { toJson } from '../../contracts/json.ts';
import type { IssueCode, PreflightIssue } from '../../contracts/task.ts';
import { isThenable } from '../../contracts/thenable.ts';
import { groupsOf } from './requiring.ts';

/** How an environment stands at the end of a step. */
export interface EnvironmentEnd {
  readonly environment: string;
  readonly detail: string;
}

/**
 * An environment in the hands of one run: nothing that it throws gets past here.
 *
 * I1  `close` and `teardown` are called exactly once each where `setup` was begun, however the run ends.
 * I2  What is told of a step is plain JSON; a step that throws is one with an `error`.
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
  /** Seen, and not yet told. */
  #seen: { readonly observation: Json | undefined } | undefined;
  #isOpened = false;

  constructor(environment: Environment, scope: EnvironmentScope) {
    this.#environment = environment;
    this.#scope = scope;
  }

  get name(): string {
    return this.#environment.name;
  }

  /** What tools may use. */
  get ops(): EnvironmentOps {
    return this.#environment.ops;
  }

  get isOpened(): boolean {
    return this.#isOpened;
  }

  /** Sets it up again for a run that is taken up by another process: it is not reset. Answers with what went wrong. */
  async reopen(): Promise<readonly PreflightIssue[]> {
    const issues: PreflightIssue[] = [];
    this.#isOpened = true;
    await this.#tried('set up', issues, () => this.#environment.setup?.(this.#scope));
    return issues;
  }

  /** Sets it up and looks at it; answers with all that keeps a run from beginning. */
  async open(
    required: ReadonlyMap<OpsGroup, readonly string[]> = new Map(),
  ): Promise<readonly PreflightIssue[]> {
    const environment = this.#environment;
    const issues: PreflightIssue[] = [];
    this.#isOpened = true;
    if (!(await this.#tried('set up', issues, () => environment.setup?.(this.#scope)))) return issues;
    const isLookedAt = await this.#tried('look at the health of', issues, async () => {
      const health = await environment.healthCheck?.();
      if (health?.ok !== false) return;
      const message = `Cannot use the environment '${this.name}' as it is not well: ${health.reason ?? 'no reason was given'}`;
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

  /** What there is to see now. Throws as the environment does: then the run has no eyes. */
  async observe(): Promise<Json | undefined> {
    const seen = this.#seen;
    this.#seen = undefined;
    if (seen !== undefined) return seen.observation;
    const observation = await this.#environment.observe?.();
    return observation === undefined ? undefined : toJson(observation);
  }

  /** Tells the environment what was done. Never rejects. */
  step(action: EnvironmentAction): EnvironmentStep | Promise<EnvironmentStep> {
    if (this.#environment.step === undefined) return NOTHING;
    try {
      const step = this.#environment.step(action);
      return isThenable(step)
        ? Promise.resolve(step).then((found) => this.#stepped(found), failed)
        : this.#stepped(step);
    } catch (thrown) {
      return failed(thrown);
    }
  }

  /** Why the environment has come to its end; undefined while it has not. Never rejects. */
  async end(step: EnvironmentStep = NOTHING): Promise<EnvironmentEnd | undefined> {
    if (step.done === true) return { environment: this.name, detail: 'done' };
    try {
      const said = (await this.#environment.isTerminal?.()) ?? false;
      if (said === false) return undefined;
      return { environment: this.name, detail: typeof said === 'string' ? said : 'terminal' };
    } catch {
      // One that cannot say whether it is over has not said that it is.
      return undefined;
    }
  }

  /** What an action made of the environment, and whether that was its end; undefined where nothing is to be told. */
  async outcome(action: EnvironmentAction): Promise<EnvironmentOutcome | undefined> {
    const environment = this.#environment;
    if (environment.step === undefined && environment.isTerminal === undefined) return undefined;
    const step = await this.step(action);
    const end = await this.end(step);
    return end === undefined ? step : { ...step, end };
  }

  /** Lets go of it; answers with what went wrong. Twice is once. */
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

const failed = (thrown: unknown): EnvironmentStep => ({ error: messageOf(thrown) });

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
