import type { ActorView } from './tableau.ts';

/** Fields that determine an actor's name. */
export type Named = Pick<ActorView, 'actor' | 'parent' | 'role' | 'name'>;

/**
 * Returns the name of a member as in its address, with a number, as several may share a name; other actors have the
 * name of their definition.
 */
export const memberName = ({ actor, parent, role, name }: Named): string =>
  parent !== undefined && (role === 'agent' || role === 'team')
    ? actor.slice(actor.lastIndexOf('/') + 1)
    : name;
