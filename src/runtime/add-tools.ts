import type { ErrorData } from '../contracts/error.ts';
import type { Tool, Toolset } from '../contracts/tool.ts';
import { isToolset } from '../tools/tool-registry.ts';
import type { Actor, Stage } from './stage.ts';

/** Gives the agent at a path more tools from its next step on; what was wrong with them comes back. */
export const addTools = async (
  run: Stage,
  actor: Actor | undefined,
  path: string,
  items: readonly (Tool | Toolset)[],
): Promise<readonly ErrorData[]> => {
  if (actor?.definition.agent === undefined) return [nobodyAt(path)];
  const tools = run.toolsOf(actor);
  const problems: ErrorData[] = [];
  const added = items.filter((item) => {
    const found = tools.add(item);
    problems.push(...found);
    // Of a toolset, what could be added was.
    return found.length < (isToolset(item) ? item.tools.length : 1);
  });
  if (tools.needsSetup) problems.push(...(await tools.setup()));
  for (const { name } of added) run.log.write({ type: 'tool.added', tool: name }, actor);
  return problems;
};

const nobodyAt = (path: string): ErrorData => ({
  code: 'agent.unknown',
  message: `Cannot add tools as no agent runs at '${path}'`,
  retryable: 'no',
});
