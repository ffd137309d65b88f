import { z } from 'zod';
import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import { toJson } from '../../contracts/json.ts';
import type { RunResult } from '../../contracts/run.ts';
import type { StopReason } from '../../contracts/stop.ts';
import type { DefinedTool } from '../define-tool.ts';
import { tool } from '../define-tool.ts';
import { dual, textOf } from '../tool-result.ts';

/** Who is delegated to, and how far. */
export interface DelegateOptions {
  /** Agents or teams that take a task in words. */
  readonly to: readonly Agent<string, unknown>[];
  /** How deep delegates may delegate in turn. Default 3. */
  readonly maxDepth?: number | undefined;
  /** In ms. Default 120,000. */
  readonly timeoutMs?: number | undefined;
  /** Default `delegate`. */
  readonly name?: string | undefined;
}

/** What came back from a delegate. */
export interface Delegated {
  readonly agent: string;
  /** `success` only for an accepted answer; `partial` for one that was stopped before. */
  readonly status: 'success' | 'partial';
  readonly output: unknown;
  /** It never said that it was done: what it had said was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stop: StopReason['kind'];
  readonly steps: number;
}

/**
 * The tool `delegate`: has another agent or team do a part of the work, as a child of this run, and gives its answer.
 *
 * The child's events, limits and abort are the run's. Nobody is delegated to who waits for the answer: that would be a circle. One that fails is a failed call, which the model reads; one that
 * is stopped by a limit gives back what it has, marked as partial.
 *
 * @example
 * agent({ name: 'lead', tools: [delegate({ to: [researcher, reviewTeam] })] });
 *
 * @throws `agent.invalid` without anybody to delegate to, or with two of one name.
 */
export const delegate = (options: DelegateOptions): DefinedTool<{ to: string; task: string }, Delegated> => {
  const { to, maxDepth = 3, timeoutMs = 120_000, name = 'delegate' } = options;
  const agents = new Map(to.map((agent) => [agent.name, agent]));
  if (agents.size === 0 || agents.size < to.length)
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the tool '${name}' as it needs agents, each of its own name: ${to.map((agent) => agent.name).join(', ') || 'none'}`,
    );
  const known = to.map((agent) =>
    agent.description === '' ? agent.name : `${agent.name} (${agent.description})`,
  );
  return tool({
    name,
    description: `Has somebody else do a part of the work and gives the answer. Say everything that is needed: they see nothing else. To: ${known.join('; ')}.`,
    category: 'control',
    input: z.object({
      to: z.enum([...agents.keys()]),
      task: z.string().trim().min(1, 'the task is empty').describe('The whole task, in words.'),
    }),
    describe: ({ to: agent, task }) => `Asking ${agent}: ${task.slice(0, 100)}`,
    timeoutMs,
    // Work of others is paid for again if it is repeated.
    retry: false,
    execute: async ({ to: wanted, task }, context) => {
      const agent = agents.get(wanted);
      const depth = context.path.split('/').length;
      const reason =
        agent === undefined
          ? 'nobody is called that'
          : depth > maxDepth
            ? `delegates may go ${maxDepth} deep: this would be ${depth}`
            : isAtWork(wanted, context.path)
              ? `'${wanted}' waits for this very work: ${context.path}`
              : undefined;
      if (agent === undefined || reason !== undefined)
        throw new TroupeError('tool.denied', `Cannot delegate to '${wanted}' as ${reason}`, {
          retryable: 'no',
        });
      const result = await context.run(agent, task);
      const value = delegated(wanted, result);
      return dual({ text: wordsOf(value, result), value });
    },
  });
};

/** Whether an agent is above, or is who delegates: the first part of a path is a name, the others a name and a number. */
const isAtWork = (name: string, path: string): boolean =>
  path.split('/').some((part, index) => (index === 0 ? part : part.replace(/-[\d.]+$/, '')) === name);

const delegated = (agent: string, result: RunResult<unknown>): Delegated => ({
  agent,
  status: result.status === 'completed' ? 'success' : 'partial',
  output: toJson(result.output ?? result.candidate ?? null),
  ...(result.autoCompleted === true ? { autoCompleted: true } : {}),
  stop: result.stopReason.kind,
  steps: result.totals.steps,
});

const wordsOf = (
  { agent, status, output, autoCompleted, stop }: Delegated,
  result: RunResult<unknown>,
): string => {
  if (autoCompleted === true) return `'${agent}' never said that it was done. It left: ${textOf(output)}`;
  if (status === 'success') return textOf(output);
  const left = result.candidate === undefined ? 'It left nothing.' : `It left: ${textOf(output)}`;
  return `'${agent}' was stopped before it was done (${stop}). ${left}`;
};
