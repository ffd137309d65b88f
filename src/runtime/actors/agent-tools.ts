import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { Toolset } from '../../contracts/tools/tool.ts';
import type { RegistryAgent, ToolsetHost } from '../../tools/define/tool-registry.ts';
import { isToolset, ToolRegistry } from '../../tools/define/tool-registry.ts';

/** The tools of an agent in one run, with `more` before its own. Shared by all runs if they are the same in all. */
export const toolsOf = (
  agent: AgentDefinition | undefined,
  more: readonly Toolset[],
  host: ToolsetHost,
): ToolRegistry => {
  const tools = agent?.tools ?? [];
  // The tools of a toolset may differ between runs.
  const isOwn = agent === undefined || more.length > 0 || tools.some(isToolset);
  return isOwn
    ? new ToolRegistry([...more, ...tools], registryAgent(agent), host)
    : sharedTools(agent).fork();
};

/** The tools of an agent before any run. */
const sharedTools = (agent: AgentDefinition): ToolRegistry => {
  let tools = known.get(agent);
  if (tools === undefined) {
    tools = new ToolRegistry(agent.tools, registryAgent(agent));
    known.set(agent, tools);
  }
  return tools;
};

const known = new WeakMap<AgentDefinition, ToolRegistry>();

const registryAgent = (agent: AgentDefinition | undefined): RegistryAgent => ({
  answer: agent?.output?.spec.schema,
  maxTextBytes: agent?.maxTextBytes,
});
