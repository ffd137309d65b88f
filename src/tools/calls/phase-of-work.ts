import type { Tool, Toolset } from '../../contracts/tools/tool.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';

/**
 * Derives the phase of the work from the tools used: that of the newest result whose tool's category is named.
 *
 * Undefined if there is no such result: keep the previous phase, in the state. A failed tool counts as used, too.
 *
 * @example
 * const tools = [fileTools(), processTools()];
 * const phaseOf = phaseOfWork(tools, { files: 'edit', processes: 'validate' });
 * const coder = agent({
 *   name: 'coder',
 *   tools,
 *   state: { phase: 'explore' },
 *   reduce: ({ state, results }) => ({ phase: phaseOf(results) ?? state.phase }),
 * });
 */
export const phaseOfWork = <Phase extends string>(
  tools: readonly (Tool | Toolset)[],
  phases: Readonly<Record<string, Phase>>,
): ((results: readonly Pick<ToolResult, 'tool'>[]) => Phase | undefined) => {
  const ofTool = new Map<string, Phase>();
  const place = (name: string, { category }: Tool): void => {
    const phase = Object.hasOwn(phases, category) ? phases[category] : undefined;
    if (phase !== undefined) ofTool.set(name, phase);
  };
  for (const each of tools) {
    if ('tools' in each) for (const inner of each.tools) place(`${each.name}.${inner.name}`, inner);
    else place(each.name, each);
  }
  return (results) => {
    const newest = results.findLast(({ tool }) => ofTool.has(tool));
    return newest === undefined ? undefined : ofTool.get(newest.tool);
  };
};
