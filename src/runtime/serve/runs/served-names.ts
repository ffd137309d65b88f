import { nearestName } from '../../../base/text/nearest-name.ts';
import { oneLine } from '../../../base/text/printable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { foundText } from '../../../contracts/errors/found-text.ts';
import type { AnyAgent } from '../../define/agent-registry.ts';
import type { Definition } from '../../define/definition.ts';
import { definitionOf } from '../../define/definition.ts';
import type { AgentVersion } from '../../journal/versions/fitting-version.ts';
import type { ServedAgents, ServeOptions } from '../serve-options.ts';

/** An agent of a server. */
export interface ServedAgent {
  /** The name by which it is called. */
  readonly name: string;
  readonly agent: AnyAgent;
  readonly definition: Definition;
  /** Earlier versions of it: no run begins with them. */
  readonly versions: readonly AgentVersion[];
}

/** Names of agents, as they stand in addresses. */
const NAME = /^[\w-]{1,100}$/;

/** The agents of a server, by the names by which they are called, and by their own. */
export class ServedNames {
  /** In the order given. */
  readonly all: readonly ServedAgent[];
  readonly #byName: ReadonlyMap<string, ServedAgent>;
  readonly #byOwnName: ReadonlyMap<string, ServedAgent>;

  /**
   * @throws {TroupeError} `agent.invalid` for what is no agent, or has a name that no address holds; `agent.duplicate`; `agent.unknown` for a
   * version of an agent that is not among them.
   */
  constructor(agents: ServedAgents, versions: ServeOptions['versions'] = {}) {
    const earlier = Object.entries(versions)
      .flatMap(([label, given]) => [given].flat().map((agent) => ({ label, agent })))
      .map(({ label, agent }) => ({ label, agent, name: definitionIn(`version '${label}'`, agent).name }));
    this.all = Object.entries(agents).map(([name, agent]) => servedAgent(name, agent, earlier));
    this.#byName = new Map(this.all.map((each) => [each.name, each]));
    this.#byOwnName = new Map(this.all.map((each) => [each.definition.name, each]));
    if (this.#byOwnName.size < this.all.length)
      throw new TroupeError(
        'agent.duplicate',
        'Cannot serve two agents of one name, as a stored run knows its agent by it: give each a name of its own',
      );
    const stray = earlier.find(({ name }) => !this.#byOwnName.has(name));
    if (stray !== undefined)
      throw new TroupeError(
        'agent.unknown',
        `Cannot serve version '${stray.label}' as its agent is not served: '${stray.name}'. A version has the name of the agent that it is one of`,
      );
  }

  /** The agent that is called so. @throws {TroupeError} `agent.unknown` */
  called(name: string): ServedAgent {
    const found = this.#byName.get(name);
    if (found !== undefined) return found;
    throw unservedError(name, [...this.#byName.keys()]);
  }

  /** The agent of a stored run; undefined if it is not served. */
  of(ownName: string): ServedAgent | undefined {
    return this.#byOwnName.get(ownName);
  }
}

/** The error for an agent that is not served: the name, those that are, and the one that was probably meant. */
export const unservedError = (name: string, served: readonly string[]): TroupeError => {
  const meant = nearestName(name, served);
  const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
  return new TroupeError(
    'agent.unknown',
    `Cannot find the agent '${oneLine(name, 100)}' as it is not served: there are ${served.join(', ')}${hint}`,
  );
};

const servedAgent = (
  name: string,
  agent: AnyAgent,
  earlier: readonly (AgentVersion & { readonly name: string })[],
): ServedAgent => {
  const definition = definitionIn(`'${name}'`, agent);
  const versions = earlier.filter((each) => each.name === definition.name);
  if (NAME.test(name)) return { name, agent, definition, versions };
  throw new TroupeError(
    'agent.invalid',
    `Cannot serve an agent as '${name}' as its name is part of an address: use letters, digits, - and _`,
  );
};

const definitionIn = (what: string, agent: AnyAgent): Definition => {
  const definition = definitionOf(Object(agent));
  if (definition !== undefined) return definition;
  throw new TroupeError(
    'agent.invalid',
    `Cannot serve ${what} as it was not made by agent() or a team: found ${foundText(agent)}`,
  );
};
