import type { Agent } from '../../contracts/agents/agent.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { agent } from './agent.ts';

/** An agent or a team of any type: its input is validated when it runs. */
export type AnyAgent = Agent<unknown, unknown, unknown>;

/** Agents and teams by name; see {@link agentRegistry}. */
export interface AgentRegistry {
  /** Defines an agent as `agent()` does, and adds it. */
  readonly create: typeof agent;
  /** Adds an existing agent or team and returns it. */
  add<Known extends AnyAgent>(known: Known): Known;
  get(name: string): AnyAgent | undefined;
  /** In order of addition. */
  list(): readonly { readonly name: string; readonly description: string }[];
  /** Removes an agent; false if there is none of that name. Its runs continue. */
  remove(name: string): boolean;
}

/**
 * Creates a registry of agents and teams by name, for a host that selects one per request. It holds definitions, no runs.
 *
 * @example
 * const agents = agentRegistry();
 * agents.create({ name: 'oracle', input: 'question: string -> answer: string, confidence: number' });
 * await agents.get('oracle')?.run({ question: 'Why?' });
 *
 * @throws {TroupeError} (from `create` and `add`) `agent.duplicate` for a name that is taken.
 */
export const agentRegistry = (): AgentRegistry => {
  const agents = new Map<string, AnyAgent>();
  const add = <Known extends AnyAgent>(known: Known): Known => {
    const { name } = known;
    if (agents.has(name))
      throw new TroupeError(
        'agent.duplicate',
        `Cannot add the agent '${name}' as there is one of that name: ${[...agents.keys()].join(', ')}`,
      );
    agents.set(name, known);
    return known;
  };
  return {
    create: (options) => add(agent(options)),
    add,
    get: (name) => agents.get(name),
    list: () => [...agents.values()].map(({ name, description }) => ({ name, description })),
    remove: (name) => agents.delete(name),
  };
};
