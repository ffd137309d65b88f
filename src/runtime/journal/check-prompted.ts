import { promptWithoutAgents, systemPrompt } from '../../actors/prompt-facts.ts';
import { canonical } from '../../contracts/canonical.ts';
import { toJson } from '../../contracts/json.ts';
import type { Tool, ToolSpec, Toolset } from '../../contracts/tool.ts';
import { isToolset } from '../../tools/tool-registry.ts';
import type { Definition } from '../definition.ts';
import { DeterminismError } from './determinism-error.ts';
import type { Prompted } from './journey.ts';

/**
 * Looks whether an agent tells its models of itself what it told them: its instructions, and its tools.
 *
 * @throws {DeterminismError} with what changed.
 */
export const checkPrompted = (
  { path, prompt, tools }: Prompted,
  definition: Definition | undefined,
  runId: string,
): void => {
  const agent = definition?.agent;
  if (agent === undefined) return;
  const found = systemPrompt(agent, tools);
  if (found !== prompt && promptWithoutAgents(agent, tools) !== prompt)
    throw new DeterminismError({
      runId,
      path,
      expected: { instructions: prompt },
      found: { instructions: found },
    });
  const now = new Map(agent.tools.flatMap(specsOf).map((spec) => [spec.name, spec]));
  for (const before of tools) {
    const after = now.get(before.name);
    // One that was added while it ran is not the definition's.
    if (after === undefined && now.size >= tools.length) continue;
    if (after === undefined || canonical(toJson(before)) !== canonical(toJson(after)))
      throw new DeterminismError({
        runId,
        path,
        expected: { tool: toJson(before) },
        found: { tool: toJson(after ?? null) },
      });
  }
};

const specsOf = (item: Tool | Toolset): readonly ToolSpec[] =>
  isToolset(item)
    ? item.tools.map((tool) => specOf(tool, `${item.name}.${tool.name}`))
    : [specOf(item, item.name)];

const specOf = ({ description, parameters }: Tool, name: string): ToolSpec => ({
  name,
  description,
  parameters,
});
