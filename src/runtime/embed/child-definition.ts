import { callDefinitions } from '../define/call-definitions.ts';
import type { Definition } from '../define/definition.ts';

/**
 * The definition of an actor that is restored below another, by the name of its logic; undefined for one that a tool runs, which only
 * the run itself finds again.
 */
export const childDefinition = (parent: Definition, name: string): Definition | undefined => {
  if (name === 'modelCall' || name === 'toolCall') return callDefinitions[name];
  if (parent.name === name) return parent;
  return [...parent.members.values()].find((member) => member.name === name);
};
