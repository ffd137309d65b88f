import type { JsonSchema } from '../../../base/json/json.ts';
import type { Model } from '../../../contracts/models/model.ts';
import type { Tool } from '../../../contracts/tools/tool.ts';
import type { Definition } from '../../../runtime/define/definition.ts';
import { definitionOf } from '../../../runtime/define/definition.ts';
import { isToolset } from '../../../tools/define/tool-registry.ts';

/** The agents of a simulation, as far as they bear on their world. */
export interface SimulatedCast {
  /** By the name of an agent, its first model that is no language model: offline, or scripted. */
  readonly offline: ReadonlyMap<string, Model>;
  /** True if an agent has no model object of its own, so that a run would look for one in the environment. */
  readonly isLacking: boolean;
  /** By the name of a tool, the schema of its results. */
  readonly results: ReadonlyMap<string, JsonSchema>;
}

/** Finds what a simulation has to know of an agent, its members and its delegates. */
export const castOf = (root: Definition): SimulatedCast => {
  const offline = new Map<string, Model>();
  const results = new Map<string, JsonSchema>();
  const seen = new Set<Definition>();
  let isLacking = false;
  const visitTool = (name: string, { outputSchema, delegates }: Tool): void => {
    if (outputSchema !== undefined) results.set(name, outputSchema);
    for (const delegate of delegates?.to ?? []) {
      const found = definitionOf(delegate);
      if (found !== undefined) visit(found);
    }
  };
  const visit = (definition: Definition): void => {
    if (seen.has(definition)) return;
    seen.add(definition);
    const { name, agent, members } = definition;
    const models = agent?.models ?? [];
    const own = models.flatMap((model) => (typeof model === 'string' ? [] : [model]));
    const plain = own.find(({ isLanguageModel }) => isLanguageModel === false);
    if (plain !== undefined) offline.set(name, plain);
    isLacking ||= agent !== undefined && own.length < Math.max(1, models.length);
    for (const member of members.values()) visit(member);
    for (const item of agent?.tools ?? [])
      if (isToolset(item)) for (const each of item.tools) visitTool(`${item.name}.${each.name}`, each);
      else visitTool(item.name, item);
  };
  visit(root);
  return { offline, isLacking, results };
};
