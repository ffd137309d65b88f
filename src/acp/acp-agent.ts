import type { Content } from '../contracts/content/part.ts';
import type { Json } from '../base/json/json.ts';
import type { Described, InputSchemaOf, OutputSchemaOf } from '../contracts/agents/signature.ts';
import type { InputOf, KeptOf } from '../base/schemas/schema.ts';
import type { Toolset } from '../contracts/tools/tool.ts';
import { maxSteps } from '../machines/stopping/stop-rules.ts';
import { namesSecret } from '../contracts/secrets/assigned-values.ts';
import { agent } from '../runtime/define/agent.ts';
import type { EmbeddableAgent } from '../runtime/define/embeddable-agent.ts';
import type { AgentChart } from '../runtime/embed/agent-types.ts';
import type { AcpAgentOptions } from './acp-options.ts';
import { checkAcpAgent } from './acp-options.ts';
import { demandTools } from './demand-tools.ts';
import type { SessionOptions } from './harness-session.ts';
import { harnessModel } from './harness-model.ts';
import { promptTool } from './prompt-tool.ts';
import type { Where } from './sessions.ts';
import { Sessions } from './sessions.ts';

const IDLE_MS = 600_000;

/** Each call of a coding agent is a step, and it makes many. */
const MAX_STEPS = 1_000;

/**
 * Defines a coding agent that speaks the Agent Client Protocol (Claude Code, Codex, Gemini CLI, OpenCode …) as an agent, which runs by itself
 * or as a member of a team.
 *
 * It is a process for each agent of a run, which is started with the first prompt and killed with all that it started at the end. What it says
 * is streamed, what it asks for (permission, files and commands of the environment) are calls of the agent, under the policy of the run;
 * what it does by itself is on record as `providerCalls`. Needs the package `@agentclientprotocol/sdk`.
 *
 * @example
 * const coder = acpAgent({
 *   name: 'coder',
 *   description: 'Changes code.',
 *   command: 'npx',
 *   args: ['-y', '@agentclientprotocol/claude-agent-acp'],
 *   cwd: '/srv/work',
 * });
 * const { output } = await coder.run('Mend the build.');
 *
 * @throws {TroupeError} `agent.invalid` for invalid options. Runs fail with `acp.package-missing`, `acp.unavailable` (it does not start, or not in
 * time), `acp.auth`, `acp.protocol` (another version, or what is no protocol), `acp.lost` (its process ended), `acp.failed` (it says so), and
 * `model.idle` if it is silent for too long.
 */
export const acpAgent = <Input extends Described = undefined, Output extends Described = undefined>(
  options: AcpAgentOptions<Input, Output>,
): EmbeddableAgent<
  InputOf<InputSchemaOf<Input, Output>, Content>,
  KeptOf<OutputSchemaOf<Input, Output>>,
  Json,
  AgentChart
> => {
  checkAcpAgent(options);
  const { name, onInterrupted = 'ask', limits, failures, stop, idleTimeoutMs = IDLE_MS } = options;
  const sessions = new Sessions();
  return agent<Input, Output>({
    name,
    ...schemasOf(options),
    description: options.description,
    instructions: options.instructions,
    environment: options.environment,
    critics: options.critics,
    mailbox: options.mailbox,
    hooks: options.hooks,
    // Nothing of the conversation is sent twice, so nothing of it has to be left out.
    conversation: { compaction: false },
    tools: [toolsetOf(options, sessions)],
    strategy: { name: 'acp', engine: (place) => harnessModel({ name, sessions, onInterrupted }, place) },
    stop: stop ?? maxSteps(MAX_STEPS),
    limits: { loops: false, ...limits },
    failures: {
      ...failures,
      // A prompt is not sent again because its answer was lost.
      retry: { attempts: 1, idleTimeoutMs, attemptTimeoutMs: Infinity },
    },
  });
};

/** The schemas that are given. */
const schemasOf = <Input extends Described, Output extends Described>({
  input,
  output,
}: AcpAgentOptions<Input, Output>): Pick<AcpAgentOptions<Input, Output>, 'input' | 'output'> => ({
  ...(input === undefined ? {} : { input }),
  ...(output === undefined ? {} : { output }),
});

/** The calls of a coding agent. The set is opened for each agent of a run, and closed with it. */
const toolsetOf = (
  options: SessionOptions & Pick<AcpAgentOptions, 'approval' | 'onInterrupted'>,
  sessions: Sessions,
): Toolset => {
  const { name, approval = true, onInterrupted } = options;
  return {
    name,
    tools: [],
    open: ({ hide }) => {
      const used: Where[] = [];
      for (const [variable, value] of Object.entries(options.env ?? {}))
        if (namesSecret(variable)) hide(value, variable);
      const plan = {
        options,
        sessions,
        opened: (where: Where): void => {
          used.push({ runId: where.runId, path: where.path });
        },
        isIdempotent: onInterrupted === 'again',
      };
      return {
        tools: [
          promptTool('prompt', plan),
          promptTool('prompt_again', plan),
          ...demandTools(name, sessions, approval),
        ],
        listed: {},
        close: async () => {
          await Promise.all(used.map((where) => sessions.close(where)));
        },
      };
    },
  };
};
