import { TroupeError } from '../../contracts/errors/error.ts';
import type { LoadedAgent } from '../load-agent.ts';

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

/** The earlier versions of those agents: a module may have versions of others, which another process executes. */
export const versionsOf = (
  agents: Readonly<Record<string, LoadedAgent>>,
  versions: Readonly<Record<string, LoadedAgent>>,
): Readonly<Record<string, LoadedAgent>> =>
  Object.fromEntries(Object.entries(versions).filter(([, { name }]) => Object.hasOwn(agents, name)));
