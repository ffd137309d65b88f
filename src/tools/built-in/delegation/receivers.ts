import type { OptionShape } from '../../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aText,
  formOr,
  fulfilling,
  isObject,
  listOf,
  objectLike,
  oneOf,
  optional,
  wholeNumber,
} from '../../../base/schemas/option-schemas.ts';
import type { Agent } from '../../../contracts/agents/agent.ts';
import type { Allotment } from '../../../contracts/runs/budget.ts';
import type { ChildTerms } from '../../../contracts/tools/delegation.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { toJson } from '../../../base/json/json.ts';
import type { RunResult } from '../../../contracts/runs/run-result.ts';
import type { StopReason } from '../../../contracts/agents/stop-reason.ts';
import type { Delegates, Receiver, ToolContext } from '../../../contracts/tools/tool.ts';
import { textOf } from '../../calls/tool-result.ts';
import type { Sees } from './seen-conversation.ts';

/** The delegates of a tool, and their terms. */
export interface ReceiverOptions {
  /** Agents or teams that accept a task as text. */
  readonly to: readonly Agent<string, unknown>[];
  /**
   * True if the agent may delegate to another instance of itself, under the name `self`; that one lacks this tool.
   * Default false.
   */
  readonly self?: boolean | undefined;
  /** The depth below the root at which agents may still be delegated to. Default 3. */
  readonly maxDepth?: number | undefined;
  /** Context that delegates see beside the task. Default `task`: none. */
  readonly sees?: Sees | undefined;
  /** The part of the agent's budget that each of them may use. Default: all of it. */
  readonly budget?: Allotment | undefined;
  readonly name?: string | undefined;
}

/** The result of a delegate. */
export interface Delegated {
  readonly agent: string;
  /** `success` only for an accepted answer; `partial` if it was stopped before. */
  readonly status: 'success' | 'partial';
  readonly output: unknown;
  /** True if it never declared itself done and its last text was taken as its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stop: StopReason['kind'];
  readonly steps: number;
}

/** The schemas of the delegates of a tool, and of their terms. */
export const receiverShape = (): OptionShape<ReceiverOptions> => ({
  to: listOf(
    fulfilling(
      (given) => isObject(given) && 'name' in given && 'run' in given,
      'not an agent: write one of agent() or of a team',
    ),
    'not a list: write `to: [ … ]`',
  ),
  self: optional(aBoolean()),
  maxDepth: optional(wholeNumber(0)),
  sees: optional(
    formOr(
      (given) => typeof given === 'string',
      oneOf(['task', 'summary', 'conversation']),
      fulfilling((given) => typeof given === 'function', 'not one of task, summary, conversation'),
    ),
  ),
  // Its amounts are checked when a delegate starts.
  budget: optional(objectLike({}, 'not a budget')),
  name: optional(aText(1)),
});

const SELF = 'self';
const ANOTHER_SELF = 'another of you, who cannot give work away';

/** The delegates of one tool. */
export class Receivers {
  readonly names: readonly string[];
  readonly #agents: ReadonlyMap<string, Agent<string, unknown>>;
  readonly #maxDepth: number;
  readonly #options: ReceiverOptions;

  /** @throws `agent.invalid` without a delegate, or with two of one name. */
  constructor(tool: string, options: ReceiverOptions) {
    const { to, self = false, maxDepth = 3 } = options;
    this.#agents = new Map(to.map((agent) => [agent.name, agent]));
    this.#maxDepth = maxDepth;
    this.#options = options;
    this.names = [...this.#agents.keys(), ...(self ? [SELF] : [])];
    if (this.names.length === 0 || new Set(this.names).size < to.length + Number(self))
      throw new TroupeError(
        'agent.invalid',
        `Cannot define the tool '${tool}' as it needs agents, each of its own name: ${to.map((agent) => agent.name).join(', ') || 'none'}`,
      );
  }

  /** In words, for the tool's description. */
  get description(): string {
    return this.listed
      .map(({ name, description }) => (description === '' ? name : `${name} (${description})`))
      .join('; ');
  }

  /** By name, with what each is good for. */
  get listed(): readonly Receiver[] {
    const { to, self = false } = this.#options;
    const known = to.map(({ name, description }) => ({ name, description }));
    return self ? [...known, { name: SELF, description: ANOTHER_SELF }] : known;
  }

  get delegates(): Delegates {
    const { to, self = false, budget } = this.#options;
    return { to, includesSelf: self, budget };
  }

  /**
   * Finds a delegate. @throws `tool.denied` for an unknown one, beyond the maximum depth, and for one that waits for
   * this very work.
   */
  find(
    wanted: string,
    context: ToolContext,
  ): { readonly agent: Agent<string, unknown> | 'self'; readonly name: string } {
    const isSelf = wanted === SELF && this.#options.self === true;
    const agent = isSelf ? SELF : this.#agents.get(wanted);
    const depth = context.path.split('/').length;
    const reason =
      agent === undefined
        ? 'there is no agent of that name'
        : depth > this.#maxDepth
          ? `delegates may go ${this.#maxDepth} deep: this would be ${depth}`
          : !isSelf && isAtWork(wanted, context.path)
            ? `'${wanted}' waits for this very work: ${context.path}`
            : undefined;
    if (agent === undefined || reason !== undefined) throw refusal(wanted, reason ?? '');
    return { agent, name: isSelf ? context.agent : wanted };
  }

  /** On what terms one of them works. */
  termsFor(agent: Agent<string, unknown> | 'self', context: ToolContext): ChildTerms {
    const { budget } = this.#options;
    return {
      ...(budget === undefined ? {} : { budget }),
      ...(agent === SELF ? { without: [context.tool] } : {}),
    };
  }
}

/** Creates the error for a refused delegation. */
export const refusal = (wanted: string, reason: string): TroupeError =>
  new TroupeError('tool.denied', `Cannot delegate to '${wanted}' as ${reason}`, { retryable: 'no' });

/**
 * Checks whether an agent is an ancestor, or the delegating one itself: the first part of a path is a name, the others
 * a name and numbers.
 */
const isAtWork = (name: string, path: string): boolean =>
  path.split('/').some((part, index) => (index === 0 ? part : part.replace(/-\d[\d._]*$/, '')) === name);

/** Converts a run's result to a delegate's. */
export const delegateResult = (agent: string, result: RunResult<unknown>): Delegated => ({
  agent,
  status: result.status === 'completed' ? 'success' : 'partial',
  output: toJson(result.output ?? result.candidate ?? null),
  ...(result.autoCompleted === true ? { autoCompleted: true } : {}),
  stop: result.stopReason.kind,
  steps: result.totals.steps,
});

/** Describes a delegate's result for the model. */
export const wordsOf = (
  { agent, status, output, autoCompleted, stop }: Delegated,
  result: RunResult<unknown>,
): string => {
  if (autoCompleted === true) return `'${agent}' never said that it was done. It left: ${textOf(output)}`;
  if (status === 'success') return textOf(output);
  const left = result.candidate === undefined ? 'It left nothing.' : `It left: ${textOf(output)}`;
  return `'${agent}' was stopped before it was done (${stop}). ${left}`;
};
