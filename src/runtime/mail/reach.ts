import type { Actor } from '../actors/actor.ts';

/** The agents that work for one, those of its calls included. */
const childrenOf = (actor: Actor): readonly Actor[] =>
  [...actor.children].flatMap((child) => (child.isCall ? childrenOf(child) : [child]));

/** Whom an agent can talk to by name: who works for it, who works beside it, and all above, in this order. */
export const acquaintances = (from: Actor): readonly Actor[] => {
  const { parent } = from;
  const beside = parent === undefined ? [] : childrenOf(parent).filter((each) => each !== from);
  return [...childrenOf(from), ...beside, ...ancestorsOf(from)];
};

const ancestorsOf = ({ parent }: Actor): readonly Actor[] =>
  parent === undefined ? [] : [parent, ...ancestorsOf(parent)];

/** What somebody is called where he sits: the last part of the address, without its number. */
export const roleIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/-[\d.]+$/, '');

/** Whom `from` means, of those who run or are `waiting` to be restarted: by an agent's name, by its role in a team, as `parent`, or by an address. */
export const meantBy = (
  from: Actor,
  name: string,
  at: (path: string) => Actor | undefined,
  waiting: readonly Actor[],
): Actor | undefined => {
  const known = [...acquaintances(from).filter(({ isOver }) => !isOver), ...waiting];
  const meant =
    known.find(({ agent }) => agent === name) ??
    known.find((each) => roleIn(each.path) === name) ??
    (name === 'parent' ? from.parent : undefined) ??
    at(name);
  return meant?.isCall === true ? undefined : meant;
};

/** What those whom an agent can talk to are called. */
export const namesFor = (from: Actor): readonly string[] => [
  ...new Set(acquaintances(from).map(({ agent }) => agent)),
];
