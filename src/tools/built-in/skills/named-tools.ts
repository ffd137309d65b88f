import { nearestName } from '../../../base/text/nearest-name.ts';
import type { OfferedTool } from '../../../contracts/tools/tool.ts';

/** The tools that a skill names, against those of an agent. */
export interface NamedTools {
  /** Deferred ones, which become available. */
  readonly announced: readonly OfferedTool[];
  /** Those that the agent does not have, as they are written, each with the nearest name that it has. */
  readonly missing: readonly { readonly name: string; readonly nearest: string | undefined }[];
}

/** Sorts the tools that a skill names: `Bash(git:*)` names `Bash`, as nothing here limits the arguments of a tool. */
export const sortNamedTools = (
  allowedTools: readonly string[],
  offered: readonly OfferedTool[],
): NamedTools => {
  const names = offered.map(({ name }) => name);
  const wanted = allowedTools.map((entry) => ({ entry, name: entry.split('(', 1).join('') }));
  return {
    announced: offered.filter(
      ({ name, isDeferred }) => isDeferred && wanted.some((each) => each.name === name),
    ),
    missing: wanted
      .filter(({ name }) => !names.includes(name))
      .map(({ entry, name }) => ({ name: entry, nearest: nearestName(name, names) })),
  };
};
