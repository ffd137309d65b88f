import * as z from 'zod';
import type { ProcessOps, ProcessResult } from '../../contracts/environments/operations.ts';
import type { Safety, Toolset } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';
import { startsOthers } from './launchers.ts';
import { opsOf, requiring } from './requiring.ts';

/** Options of the process tools. */
export interface ProcessToolsOptions {
  /** Default: those of the run's environment. */
  readonly ops?: ProcessOps | undefined;
  /** Default `danger`: the effect of a command is unknown. */
  readonly safety?: Safety | undefined;
  /** True if a person must approve each call. Default: as for every tool of that safety. */
  readonly approval?: boolean | undefined;
  /** In ms. Default 120,000. */
  readonly timeoutMs?: number | undefined;
}

/**
 * The toolset `processes`: `processes.run`, in the environment of the run.
 *
 * There is no shell: a command and its arguments, one by one. An exit code other than 0 is an ordinary result.
 *
 * @example
 * const tools = [processTools({ approval: false })]; // in an environment that confines what it allows
 */
export const processTools = (options: ProcessToolsOptions = {}): Toolset => {
  const { ops, safety = 'danger', approval, timeoutMs = 120_000 } = options;
  const run = tool({
    name: 'run',
    description:
      'Runs a command without a shell: no pipes, variables or wildcards, each argument as it is. Gives exit code and output.' +
      (ops?.commands === undefined ? '' : ` Commands: ${ops.commands.join(', ')}.`),
    category: 'processes',
    safety,
    approval,
    timeoutMs,
    input: z.object({
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      cwd: z.string().optional().describe('Folder below the root to work in'),
      input: z.string().optional().describe('Standard input'),
    }),
    describe: ({ command, args }) =>
      `Running ${[command, ...args].join(' ').slice(0, 50)}${startsOthers(command) ? ` (${command} may start any other program)` : ''}`,
    execute: async ({ command, args, cwd, input }, context) => {
      const { signal } = context;
      const processes = opsOf(context, 'processes', ops);
      const result = await processes.run(command, args, { cwd, input, timeoutMs, signal });
      return dual({ text: describeProcess(result), value: result });
    },
  });
  return { name: 'processes', tools: [ops === undefined ? requiring(run, 'processes') : run] };
};

/** The result of a command as a model reads it: its end, then its outputs. */
export const describeProcess = ({ exitCode, stdout, stderr, isTimedOut }: ProcessResult): string => {
  const end = isTimedOut ? 'stopped: out of time' : `exit code ${exitCode ?? 'none: it was killed'}`;
  const parts = [end];
  if (stdout !== '') parts.push(stdout.trimEnd());
  if (stderr !== '') parts.push(`stderr:\n${stderr.trimEnd()}`);
  return parts.join('\n');
};
