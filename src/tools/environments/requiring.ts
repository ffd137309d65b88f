import type { EnvironmentOps, OpsGroup, OpsHolder } from '../../contracts/environments/operations.ts';
import type { OpsContext } from '../../contracts/environments/environment.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Tool, Toolset } from '../../contracts/tools/tool.ts';

/** A tool that declares the groups of operations that it requires. */
export type RequiringTool<T extends Tool = Tool> = T & { readonly requires: readonly OpsGroup[] };

/**
 * The same tool, saying what it requires of the run's environment: a run without it ends before its first step.
 */
export const requiring = <T extends Tool>(tool: T, ...groups: readonly OpsGroup[]): RequiringTool<T> =>
  Object.assign(tool, { requires: groups });

/** Returns the groups that a tool requires; none, if it does not declare any. */
export const requiredBy = (tool: Tool): readonly OpsGroup[] => {
  const groups: unknown = 'requires' in tool ? tool.requires : undefined;
  return Array.isArray(groups) ? groups : [];
};

/** Every group that some of these tools require, with the tools that do. */
export const requirementsOf = (
  tools: readonly (Tool | Toolset)[],
): ReadonlyMap<OpsGroup, readonly string[]> => {
  const found = new Map<OpsGroup, string[]>();
  const add = (tool: Tool, name: string): void => {
    for (const group of requiredBy(tool)) found.set(group, [...(found.get(group) ?? []), name]);
  };
  for (const item of tools) {
    if ('tools' in item) for (const tool of item.tools) add(tool, `${item.name}.${tool.name}`);
    else add(item, item.name);
  }
  return found;
};

/**
 * Returns a group of operations, given to the tool or else from the run's environment.
 *
 * @example
 * tool({ name: 'build', … requires: ['processes'], execute: (_, context) => opsOf(context, 'processes').run('make', []) })
 *
 * @throws `tool.failed` if there is no such group.
 */
export const opsOf = <Group extends OpsGroup>(
  context: OpsContext | OpsHolder,
  group: Group,
  given?: EnvironmentOps[Group],
): NonNullable<EnvironmentOps[Group]> => {
  const found = given ?? context.ops?.[group];
  if (found !== undefined && found !== null) return found;
  throw new TroupeError(
    'tool.failed',
    `Cannot use the operations '${group}' as the environment of this run does not offer them: found ${groupsOf(context.ops).join(', ') || 'none'}`,
  );
};

/** The groups that are really there. */
export const groupsOf = (ops: EnvironmentOps | undefined): readonly string[] =>
  Object.entries(ops ?? {}).flatMap(([group, found]) => (found === undefined ? [] : [group]));
