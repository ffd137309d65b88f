import { nearestName } from '../../base/text/nearest-name.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { oneLine } from '../../base/text/printable.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { anyGlob, itemsOf } from '../../policy/permissions/glob.ts';
import { patternOf } from '../../policy/properties/event-pattern.ts';
import { choicesOf } from '../../policy/properties/property-choices.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { definitionOf } from '../../runtime/define/definition.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';
import type { ProofOptions } from './verify-options.ts';

type Kind = 'tool' | 'agent';

/** A name of a proof's options: what it is of, and who says it. */
interface SaidName {
  readonly kind: Kind;
  readonly name: string;
  readonly by: string;
}

/** The names of the agents and tools of a proof: a property about another one would hold, and say nothing. */
export class KnownNames {
  readonly #names: Readonly<Record<Kind, Set<string>>> = { tool: new Set(), agent: new Set() };
  /** Beginnings of the names of tools that are known only once a toolset is opened; all of an environment's begin with nothing. */
  readonly #later: string[] = [];
  readonly #seen = new Set<Definition>();

  constructor(definitions: readonly Definition[]) {
    for (const each of definitions) this.#add(each);
  }

  /**
   * Refuses properties, calls and answers of what is not there.
   *
   * @throws {TroupeError} `input.invalid` with the name, what there is, and what is probably meant
   */
  assertKnown(owner: string, { properties = [], calls = {}, answers = {} }: ProofOptions): void {
    const said = [
      ...properties.flatMap(namesIn),
      ...Object.keys(calls).map((name) => ({ kind: 'tool', name, by: '`calls`' }) as const),
      ...Object.keys(answers).map((name) => ({ kind: 'agent', name, by: '`answers`' }) as const),
    ];
    const unknown = said.find((each) => !this.#has(each));
    if (unknown !== undefined) throw this.#refusal(owner, unknown);
  }

  #has({ kind, name }: SaidName): boolean {
    const fits = anyGlob(name);
    return (
      [...this.#names[kind]].some(fits) ||
      (kind === 'tool' && this.#later.some((beginning) => name.startsWith(beginning)))
    );
  }

  #refusal(owner: string, { kind, name, by }: SaidName): TroupeError {
    const known = [...this.#names[kind]].toSorted((a, b) => a.localeCompare(b));
    const meant = nearestName(name, known);
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
    const there = known.length === 0 ? `there is no ${kind}` : `there are ${known.slice(0, MOST).join(', ')}`;
    const more = known.length > MOST ? ' …' : '';
    const message = `Cannot verify '${owner}' as ${by} names the ${kind} '${oneLine(name, 80)}', which it does not have: ${there}${more}${hint}`;
    return new TroupeError('input.invalid', message);
  }

  #add(definition: Definition): void {
    if (this.#seen.has(definition)) return;
    this.#seen.add(definition);
    const { name, agent, members } = definition;
    this.#names.agent.add(name);
    for (const [role, member] of members) {
      this.#names.agent.add(role);
      this.#add(member);
    }
    if (agent === undefined) return;
    if (agent.environment !== undefined) this.#later.push('');
    for (const item of agent.tools) {
      if (!isToolset(item)) this.#addTool(item.name, item);
      else {
        if (item.open !== undefined) this.#later.push(`${item.name}.`);
        for (const each of item.tools) this.#addTool(`${item.name}.${each.name}`, each);
      }
    }
  }

  #addTool(name: string, { receivers = [], delegates }: Tool): void {
    this.#names.tool.add(name);
    for (const each of receivers) this.#names.agent.add(each.name);
    for (const each of delegates?.to ?? []) {
      this.#names.agent.add(each.name);
      const definition = definitionOf(each);
      if (definition !== undefined) this.#add(definition);
    }
  }
}

/** Names that a message has. */
const MOST = 20;

/** The tools and agents that a property speaks of. */
const namesIn = (property: Property): readonly SaidName[] =>
  choicesOf(property).flatMap((choice) => {
    if (typeof choice === 'function') return [];
    const { tool = [], agent = [] } = typeof choice === 'string' ? patternOf(choice) : choice;
    const by = `the property '${property.name}'`;
    return [
      ...itemsOf(tool).map((name) => ({ kind: 'tool', name, by }) as const),
      ...itemsOf(agent).map((name) => ({ kind: 'agent', name, by }) as const),
    ];
  });
