import type { Engagement } from '../machines/outputs.ts';
import type { Definition } from './definition.ts';
import { definitionOf } from './definition.ts';
import type { Actor } from './stage.ts';

/** Whom an engagement means: a member, or somebody to whom a tool of the parent's gives work; undefined for nobody. */
export const engagedBy = (
  parent: Actor,
  actor: Extract<Engagement['actor'], { readonly name: string }>,
): Definition | undefined => {
  if (actor.kind === 'member') return parent.definition.members.get(actor.name);
  const delegates = parent.run.toolsOf(parent).held(actor.tool)?.delegates;
  const found = delegates?.to.find(({ name }) => name === actor.name);
  if (found !== undefined) return definitionOf(found);
  return delegates?.includesSelf === true && actor.name === parent.definition.name
    ? parent.definition
    : undefined;
};
