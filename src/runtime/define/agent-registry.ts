import type { Agent } from '../../contracts/agent.ts';
import { TroupeError } from '../../contracts/error.ts';
import { agent } from './agent.ts';

/** An agent or a team of which only the face is known: its input is checked when it runs. */
export type AnyAgent = Agent<unknown, unknown, unknown>;

/** Agents and teams by name; see {@link agentRegistry}. */
export interface AgentRegistry {
  /** Defines an agent as `agent()` does, and adds it. */
  readonly create: typeof agent;
  /** Adds what was defined elsewhere, and gives it back as it is. */
  add<Known extends AnyAgent>(known: Known): Known;
  get(name: string): AnyAgent | undefined;
  /** In the order in which they came. */
  list(): readonly { readonly name: string; readonly description: string }[];
  /** False if nothing is called that. Runs under way go on. */
  remove(name: string): boolean;
}

/**
 * Keeps agents and teams by name, for a host that picks one by what a request says. It holds definitions, no runs.
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
