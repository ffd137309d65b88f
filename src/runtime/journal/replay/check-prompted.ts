import { promptWithoutAgents, systemPrompt } from '../../../actors/deciding/prompt-facts.ts';
import { canonical } from '../../../base/json/canonical.ts';
import type { JsonSchema } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { Tool, Toolset } from '../../../contracts/tools/tool.ts';
import type { ToolSpec } from '../../../contracts/tools/tool-call.ts';
import { isToolset } from '../../../tools/define/tool-registry.ts';
import type { Definition } from '../../define/definition.ts';
import { DeterminismError } from './determinism-error.ts';
import type { Arrival } from '../../../contracts/journals/journal-record.ts';
import type { Prompted } from './replay-context.ts';

/**
 * Compares the instructions and tools that an agent would send its models now with the recorded ones.
 *
 * @throws {DeterminismError} naming the first difference.
 */
export const checkPrompted = (arrival: Arrival, run: PromptedRun): void => {
  if (arrival.type === 'prompted') comparePrompted(arrival, run);
};

/** The calls that this needs of the run that is replayed. */
export interface PromptedRun {
  readonly runId: string;
  readonly actors: { at(path: string): { readonly definition: Definition } | undefined };
}

const comparePrompted = ({ path, prompt, tools }: Prompted, { runId, actors }: PromptedRun): void => {
  const agent = actors.at(path)?.definition.agent;
  if (agent === undefined) return;
  const found = systemPrompt(agent, tools);
  if (found !== prompt && promptWithoutAgents(agent, tools) !== prompt)
    throw new DeterminismError({
      runId,
      path,
      expected: { instructions: prompt },
      found: { instructions: found },
    });
  const answer = agent.output?.spec.schema;
  const now = new Map(agent.tools.flatMap(namedTools));
  const opening = agent.tools.filter((item) => isToolset(item) && item.open !== undefined);
  // Tools of a set that opens are not part of the definition: the set compares them when it opens.
  const defined = tools.filter((tool) => !opening.some(({ name }) => tool.name.startsWith(`${name}.`)));
  for (const before of defined) {
    const after = now.get(before.name);
    // A tool that was added during the run is not part of the definition.
    if (after === undefined && now.size >= defined.length) continue;
    const specs = after === undefined ? [] : specsOf(after, before.name, answer);
    if (!specs.some((spec) => canonical(toJson(before)) === canonical(toJson(spec))))
      throw new DeterminismError({
        runId,
        path,
        expected: { tool: toJson(before) },
        found: { tool: toJson(specs[0] ?? null) },
      });
  }
};

const namedTools = (item: Tool | Toolset): readonly (readonly [name: string, tool: Tool])[] =>
  isToolset(item)
    ? item.tools.map((tool) => [`${item.name}.${tool.name}`, tool] as const)
    : [[item.name, item]];

/** Specs that count as the recorded one: the one sent now, and that of 0.1, which left out the schema of the agent's answer. */
const specsOf = (tool: Tool, name: string, answer: JsonSchema | undefined): readonly ToolSpec[] => {
  const { description, parameters } = tool;
  const own = { name, description, parameters };
  const fitted = answer === undefined ? undefined : tool.forOutput?.(answer);
  return fitted === undefined ? [own] : [{ ...own, parameters: fitted.parameters }, own];
};
