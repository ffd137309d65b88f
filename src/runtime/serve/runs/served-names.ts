import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { AnyAgent } from '../../define/agent-registry.ts';
import type { Definition } from '../../define/definition.ts';
import { definitionOf } from '../../define/definition.ts';
import type { ServedAgents } from '../serve-options.ts';

/** An agent of a server. */
export interface ServedAgent {
  /** The name by which it is called. */
  readonly name: string;
  readonly agent: AnyAgent;
  readonly definition: Definition;
}

/** Names of agents, as they stand in addresses. */
const NAME = /^[\w-]{1,100}$/;

/** The agents of a server, by the names by which they are called, and by their own. */
export class ServedNames {
  /** In the order given. */
  readonly all: readonly ServedAgent[];
  readonly #byName: ReadonlyMap<string, ServedAgent>;
  readonly #byOwnName: ReadonlyMap<string, ServedAgent>;

  /** @throws {TroupeError} `agent.invalid` for what is no agent, or has a name that no address holds; `agent.duplicate` */
  constructor(agents: ServedAgents) {
    this.all = Object.entries(agents).map(([name, agent]) => servedAgent(name, agent));
    this.#byName = new Map(this.all.map((each) => [each.name, each]));
    this.#byOwnName = new Map(this.all.map((each) => [each.definition.name, each]));
    if (this.#byOwnName.size < this.all.length)
      throw new TroupeError(
        'agent.duplicate',
        'Cannot serve two agents of one name, as a stored run knows its agent by it: give each a name of its own',
      );
  }

  /** The agent that is called so. @throws {TroupeError} `agent.unknown` */
  called(name: string): ServedAgent {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    throw new TroupeError('agent.unknown', 'Cannot find the agent as none of that name is served');
  }

  /** The agent of a stored run; undefined if it is not served. */
  of(ownName: string): ServedAgent | undefined {
    return this.#byOwnName.get(ownName);
  }
}

const servedAgent = (name: string, agent: AnyAgent): ServedAgent => {
  const definition = definitionOf(Object(agent));
  if (definition === undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot serve '${name}' as it was not made by agent() or a team: found ${foundText(agent)}`,
    );
  if (NAME.test(name)) return { name, agent, definition };
  throw new TroupeError(
    'agent.invalid',
    `Cannot serve an agent as '${name}' as its name is part of an address: use letters, digits, - and _`,
  );
};
