import * as z from 'zod';
import { TroupeError } from '../contracts/errors/error.ts';
import type { Tool, ToolContext } from '../contracts/tools/tool.ts';
import { dual } from '../tools/calls/tool-result.ts';
import { tool } from '../tools/define/define-tool.ts';
import { opsOf } from '../tools/environments/requiring.ts';
import type { Demand } from './demand.ts';
import type { HarnessSession } from './harness-session.ts';
import { changesFiles, PERMITTED } from './permission.ts';
import type { Sessions } from './sessions.ts';

/** Output of a command that is kept for its agent unless it asks for less, in bytes. */
const OUTPUT_BYTES = 1_000_000;

const request = z.string();

/** The calls that stand for requests of a coding agent: for permission, for files and for commands of its environment. */
export const demandTools = (name: string, sessions: Sessions, needsApproval: boolean): readonly Tool[] => {
  const serve = servedBy(name, sessions);
  return [
    ...Object.entries(PERMITTED).map(([kind, safety]) => permissionTool(kind, safety, serve, needsApproval)),
    readTool(serve),
    writeTool(serve),
    runTool(serve),
  ];
};

type Serve = (
  id: string,
  context: ToolContext,
  answer: (demand: Demand, session: HarnessSession) => unknown,
) => Promise<unknown>;

/** Answers a demand. What fails refuses it, and is the failure of the call, too. */
const servedBy =
  (name: string, sessions: Sessions): Serve =>
  async (id, context, answer) => {
    const session = sessions.at(context)?.session;
    if (session === undefined)
      throw new TroupeError('acp.lost', `Cannot answer '${name}' as the process that asked is gone`);
    const demand = session.demands.at(id);
    try {
      return await answer(demand, session);
    } catch (thrown) {
      demand.refuse(thrown instanceof Error ? thrown.message : String(thrown));
      throw thrown;
    }
  };

const permissionTool = (
  kind: string,
  safety: 'read' | 'write' | 'danger',
  serve: Serve,
  isAsked: boolean,
): Tool => {
  const made = tool({
    name: `may_${kind}`,
    description: `Permits the coding agent a call of the kind '${kind}', which it then runs itself.`,
    // Policies check the paths of what changes files.
    category: changesFiles(kind) ? 'files' : 'acp',
    tags: ['acp', kind],
    safety,
    exclusive: false,
    input: z.looseObject({
      request,
      title: z.string(),
      option: z
        .string()
        .optional()
        .describe('The id of the option to choose; default: the one that allows it once'),
    }),
    describe: ({ title }) => title,
    execute: ({ request: id, option }, context) =>
      serve(id, context, (demand) => {
        demand.grant(option);
        return dual({ text: 'It is permitted.', value: null });
      }),
  });
  // A rule that allows the call by its name stands for the person.
  return { ...made, needsApproval: (_, rule) => isAsked && rule === undefined };
};

const readTool = (serve: Serve): Tool =>
  tool({
    name: 'read',
    description: 'Reads a text file of the environment for the coding agent.',
    category: 'files',
    tags: ['acp'],
    safety: 'read',
    retry: false,
    input: z.object({
      request,
      path: z.string(),
      line: z.number().optional(),
      limit: z.number().optional(),
    }),
    describe: ({ path }) => `Reading ${path}`,
    execute: ({ request: id, path, line, limit }, context) =>
      serve(id, context, async (demand) => {
        const { text, bytes, isCut } = await opsOf(context, 'files').read(path);
        if (isCut)
          throw new TroupeError(
            'tool.failed',
            `Cannot read '${path}' as it is longer than the environment reads: ${bytes} bytes`,
          );
        const from = Math.max(1, line ?? 1) - 1;
        const isPart = line !== undefined || limit !== undefined;
        const content = isPart
          ? text
              .split('\n')
              .slice(from, limit === undefined ? undefined : from + limit)
              .join('\n')
          : text;
        demand.grant({ content });
        return dual({ text: `${bytes} bytes`, value: { path, bytes } });
      }),
  });

const writeTool = (serve: Serve): Tool =>
  tool({
    name: 'write',
    description: 'Writes a text file of the environment for the coding agent.',
    category: 'files',
    tags: ['acp'],
    safety: 'write',
    input: z.object({ request, path: z.string(), text: z.string() }),
    describe: ({ path }) => `Writing ${path}`,
    execute: ({ request: id, path, text }, context) =>
      serve(id, context, async (demand) => {
        const { bytes } = await opsOf(context, 'files').write(path, text);
        demand.grant({});
        return dual({ text: `${bytes} bytes`, value: { path, bytes } });
      }),
  });

const runTool = (serve: Serve): Tool =>
  tool({
    name: 'run',
    description: 'Runs a command of the environment for the coding agent.',
    category: 'processes',
    tags: ['acp'],
    safety: 'danger',
    approval: false,
    exclusive: false,
    timeoutMs: Infinity,
    input: z.object({
      request,
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      env: z.record(z.string(), z.string()).optional(),
      outputByteLimit: z.number().optional(),
    }),
    describe: ({ command, args }) => `Running ${[command, ...args].join(' ').slice(0, 80)}`,
    execute: ({ request: id, command, args, cwd, env = {}, outputByteLimit }, context) =>
      serve(id, context, async (demand, session) => {
        const variables = Object.keys(env);
        if (variables.length > 0)
          throw new TroupeError(
            'tool.denied',
            `Cannot set variables for '${command}' as the environment has its own: ${variables.join(', ')}`,
          );
        const processes = opsOf(context, 'processes');
        const limit = Math.min(outputByteLimit ?? OUTPUT_BYTES, OUTPUT_BYTES);
        const { terminalId, ended } = session.terminals.start({ command, args, cwd }, processes, limit);
        demand.grant({ terminalId });
        // The agent may go on while it runs: the call is over with the command, or when the agent has more to say.
        const result = await Promise.race([ended, session.turn?.stirs().then(() => undefined)]);
        if (result === undefined) return dual({ text: 'It runs.', value: { terminalId } });
        const { exitCode } = result;
        return dual({
          text: `exit code ${exitCode ?? 'none: it was killed'}`,
          value: { terminalId, exitCode },
        });
      }),
  });
