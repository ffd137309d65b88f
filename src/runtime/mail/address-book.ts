import type { Actor } from '../actors/actor.ts';

/** The agents below an actor, those of its calls included. */
const childrenOf = (actor: Actor): readonly Actor[] =>
  [...actor.children].flatMap((child) => (child.isCall ? childrenOf(child) : [child]));

/** The agents that an agent can address by name: those below it, beside it and above it, in this order. */
export const reachableAgents = (from: Actor): readonly Actor[] => {
  const { parent } = from;
  const beside = parent === undefined ? [] : childrenOf(parent).filter((each) => each !== from);
  return [...childrenOf(from), ...beside, ...ancestorsOf(from)];
};

const ancestorsOf = ({ parent }: Actor): readonly Actor[] =>
  parent === undefined ? [] : [parent, ...ancestorsOf(parent)];

/** The role of an address: its last part without the number. */
export const roleIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/-[\d.]+$/, '');

/**
 * Resolves a name used by `from` among agents that run or are `waiting` for a restart: an agent's name, a role in the team, `parent`, or an
 * address.
 */
export const resolveName = (
  from: Actor,
  name: string,
  at: (path: string) => Actor | undefined,
  waiting: readonly Actor[],
): Actor | undefined => {
  const known = [...reachableAgents(from).filter(({ isOver }) => !isOver), ...waiting];
  const meant =
    known.find(({ agent }) => agent === name) ??
    known.find((each) => roleIn(each.path) === name) ??
    (name === 'parent' ? from.parent : undefined) ??
    at(name);
  return meant?.isCall === true ? undefined : meant;
};

/** The names that an agent can address. */
export const namesFor = (from: Actor): readonly string[] => [
  ...new Set(reachableAgents(from).map(({ agent }) => agent)),
];
