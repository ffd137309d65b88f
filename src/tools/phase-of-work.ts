import type { Tool, ToolResult, Toolset } from '../contracts/tool.ts';

/**
 * Tells the phase of work from what tools are used: that of the newest result whose tool is of a category that is named.
 *
 * Undefined where no result is of such a tool: keep the phase that was, in the state. A tool that failed was used, too.
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
