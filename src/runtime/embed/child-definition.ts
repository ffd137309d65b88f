import { callDefinitions } from '../define/call-definitions.ts';
import type { Definition } from '../define/definition.ts';

/**
 * The definition of a restored child by the name of its logic; undefined for a child run by a tool, which only a resume of the run finds.
 */
export const childDefinition = (parent: Definition, name: string): Definition | undefined => {
  if (name === 'modelCall' || name === 'toolCall') return callDefinitions[name];
  if (parent.name === name) return parent;
  return [...parent.members.values()].find((member) => member.name === name);
};
