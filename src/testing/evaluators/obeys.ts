import { TroupeError } from '../../contracts/errors/error.ts';
import type { Evaluator, ExaminedRun } from '../../contracts/tasks/evaluator.ts';
import type { EarlierCall, ProposedCall, SafetyStrategy } from '../../contracts/tools/safety.ts';
import type { Tool, ToolFacts } from '../../contracts/tools/tool.ts';
import type { RunCall } from './run-calls.ts';
import { callsOf } from './run-calls.ts';

/** Options of `evaluators.obeys`. */
export interface ObeysOptions {
  /** The tools of the agents, for their safety, tags and categories. A tool that is not among them counts as one that writes. */
  readonly tools?: readonly Tool[] | undefined;
  /** The `context` that the runs were given, for policies that read it. */
  readonly context?: unknown;
}

/**
 * Passes for a run whose calls a policy, or any safety strategy, would have allowed. A call that it asks about has to have the approval of a
 * person on record; one that was denied, or never ran, breaks nothing. The score is the share of calls that obey.
 *
 * A policy whose rules depend on the origins of what an agent has read (`after`) is an error: a journal does not have them.
 */
export const obeys = (policy: SafetyStrategy, options: ObeysOptions = {}): Evaluator => {
  if (typeof policy !== 'function')
    throw new TroupeError(
      'input.invalid',
      'Cannot evaluate what a policy allows as it is none: write evaluators.obeys(policy({ rules: [ … ] }))',
    );
  return {
    name: 'obeys',
    evaluate: async (examined) => {
      const { result, signal } = examined;
      if (policy.keepOrigins !== undefined)
        throw new TroupeError(
          'input.invalid',
          'Cannot judge a recorded run by this policy as it has functions, or rules with `after`: the origins that they read are not on record',
        );
      const calls = callsOf(examined);
      const problems: string[] = [];
      for (const [index, call] of calls.entries()) {
        // It was stopped, by that policy or by another.
        if (call.ok !== true) continue;
        const verdict = await policy(proposalOf(call, calls.slice(0, index), result, options, signal));
        if (verdict.verdict === 'deny') problems.push(`${call.tool}: ${verdict.reason}`);
        else if (verdict.verdict === 'ask' && !call.isApproved)
          problems.push(`${call.tool} has not been approved${ruleWords(verdict.rule)}`);
      }
      return {
        score: calls.length === 0 ? 1 : 1 - problems.length / calls.length,
        passed: problems.length === 0,
        ...(problems.length === 0 ? {} : { reason: problems.join('; ') }),
      };
    },
  };
};

const ruleWords = (rule: string | undefined): string => (rule === undefined ? '' : ` (rule '${rule}')`);

const proposalOf = (
  { callId, path, agent, step, tool, input, at }: RunCall,
  before: readonly RunCall[],
  { runId }: ExaminedRun,
  { tools = [], context }: ObeysOptions,
  signal = new AbortController().signal,
): ProposedCall => ({
  callId,
  runId,
  path,
  agent,
  step,
  tool,
  facts: tools.find(({ name }) => name === tool) ?? UNKNOWN,
  input,
  context,
  at,
  environment: undefined,
  above: path.split('/').slice(0, -1),
  earlier: before.filter((call) => call.agent === agent).flatMap(earlierOf),
  origins: [],
  signal,
});

const earlierOf = ({ tool, input, ok, text }: RunCall): readonly EarlierCall[] =>
  ok === undefined ? [] : [{ tool, input, ok, text }];

/** A tool of which nothing is known, as a safety strategy sees one that declares nothing. */
const UNKNOWN: ToolFacts = {
  version: '0.0.0',
  category: 'general',
  tags: [],
  safety: 'write',
  undeclared: true,
  idempotent: false,
  exclusive: true,
  timeoutMs: 60_000,
  retry: { attempts: 1, initialWaitMs: 0, maxWaitMs: 0 },
};
