import { ToolRegistry } from '../tools/tool-registry.ts';
import { EnvironmentSession } from '../tools/environments/environment-session.ts';
import type { Toolset } from '../contracts/tool.ts';
import type { Actor } from './stage.ts';
import { taskOf } from './task-of.ts';

/** The environment of an actor in its run, made on first use. */
export const environmentOf = (entry: Actor): EnvironmentSession | undefined => {
  const given = entry.definition.agent?.environment;
  if (given === undefined) return undefined;
  if (entry.environment !== undefined) return entry.environment;
  const { path, run } = entry;
  const scope = { runId: run.runId, path, task: taskOf(entry)?.task };
  return (entry.environment = new EnvironmentSession(
    typeof given === 'function' ? given(scope) : given,
    scope,
  ));
};

/** The tools of an actor in its run, made on first use. */
export const toolsOf = (entry: Actor): ToolRegistry => (entry.tools ??= registryOf(entry));

const registryOf = (entry: Actor): ToolRegistry => {
  const { agent } = entry.definition;
  const registry = new ToolRegistry(
    [...environmentSet(entry), ...(agent?.tools ?? [])],
    agent?.output?.spec.schema,
  );
  for (const name of entry.terms?.without ?? []) registry.remove(name);
  return registry;
};

/** The environment's end as a toolset without tools: let go of after all others, with their patience and reports. */
const environmentSet = (entry: Actor): readonly Toolset[] =>
  entry.definition.agent?.environment === undefined
    ? NONE
    : [
        {
          name: 'environment',
          tools: [],
          teardown: async () => {
            const issues = (await entry.environment?.close()) ?? [];
            if (issues.length > 0) throw new Error(issues.map(({ message }) => message).join('; '));
          },
        },
      ];

const NONE: readonly Toolset[] = [];
