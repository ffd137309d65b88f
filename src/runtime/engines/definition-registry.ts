import { TroupeError } from '../../contracts/errors/error.ts';
import type { Definition } from '../define/definition.ts';

/**
 * The definitions known to an engine, by name. A second definition of a name is refused, however alike: events and messages could not
 * distinguish them.
 */
export class DefinitionRegistry {
  readonly #definitions = new Map<string, Definition>();

  /**
   * Registers a definition and its members; idempotent.
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
    // Its members were registered with it.
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
