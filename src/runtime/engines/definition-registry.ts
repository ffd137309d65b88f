import { TroupeError } from '../../contracts/error.ts';
import type { Definition } from '../define/definition.ts';

/**
 * Which definition a name stands for, in one engine. A second definition of a name is refused, however alike: two agents of one
 * name could be told apart neither in events nor by whoever sends them messages.
 */
export class DefinitionRegistry {
  readonly #definitions = new Map<string, Definition>();

  /**
   * Enters a definition and all that belong to it; the same one any number of times.
   *
   * @throws {TroupeError} `agent.duplicate`, and enters none of them, if a name stands for another definition.
   */
  register(definition: Definition): void {
    const found = new Map<string, Definition>();
    this.#collect(definition, found);
    for (const [name, each] of found) this.#definitions.set(name, each);
  }

  #collect(definition: Definition, found: Map<string, Definition>): void {
    const { name, members } = definition;
    const known = this.#definitions.get(name) ?? found.get(name);
    // Its members came in with it.
    if (known === definition) return;
    if (known !== undefined)
      throw new TroupeError(
        'agent.duplicate',
        `Cannot run '${name}' as this engine knows another definition of that name: define it once, and share it`,
      );
    found.set(name, definition);
    for (const member of members.values()) this.#collect(member, found);
  }
}
