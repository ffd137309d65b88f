import { TroupeError } from '../../contracts/errors/error.ts';
import type { LoadedAgent, LoadedVersion } from '../load-agent.ts';

/** Agents by their names. @throws {TroupeError} `agent.duplicate` for two of one name */
export const byName = (agents: readonly LoadedAgent[]): Readonly<Record<string, LoadedAgent>> => {
  const named = new Map<string, LoadedAgent>();
  for (const agent of agents) {
    const known = named.get(agent.name);
    if (known !== undefined && known !== agent)
      throw new TroupeError(
        'agent.duplicate',
        `Cannot take two agents of one name, as a stored run knows its agent by it: '${agent.name}'. Name one of them with --export`,
      );
    named.set(agent.name, agent);
  }
  return Object.fromEntries(named);
};

/** The earlier versions of those agents, by label: a module may have versions of others, which another process executes. */
export const versionsOf = (
  agents: Readonly<Record<string, LoadedAgent>>,
  versions: readonly LoadedVersion[],
): Readonly<Record<string, readonly LoadedAgent[]>> => {
  const labelled: Record<string, readonly LoadedAgent[]> = {};
  for (const { label, agent } of versions)
    if (Object.hasOwn(agents, agent.name)) labelled[label] = [...(labelled[label] ?? []), agent];
  return labelled;
};
