import type { Message, MessageKind, MessageLimits } from '../../contracts/messages/message.ts';

/** Default limits of conversations between agents. */
export const messageLimits: Required<{ [Key in keyof MessageLimits]: number }> = {
  maxHops: 32,
  maxExchanges: 16,
};

type Direction = 'toChild' | 'toParent' | 'toEither' | 'toAncestor' | 'toAnybody';

/** Permitted directions by kind of message; other kinds are unrestricted. */
const directions: Readonly<Record<MessageKind, Direction>> = {
  delegation: 'toChild',
  status: 'toParent',
  completion: 'toParent',
  clarification: 'toEither',
  escalation: 'toAncestor',
  answer: 'toAnybody',
  system: 'toAnybody',
};

/** Kinds that refer to an earlier message. */
const NEED_CORRELATION: ReadonlySet<string> = new Set<MessageKind>(['completion', 'answer']);

/**
 * The reason why a message of that kind must not go from one address to the other; undefined if it may. A parent is one address above, an
 * ancestor any number.
 *
 * @example
 * directionProblem({ kind: 'status' }, 'desk', 'desk/writer-1') // => "a 'status' goes to the parent of who sends it"
 */
export const directionProblem = (
  { kind, correlation }: Pick<Message, 'kind' | 'correlation'>,
  from: string,
  to: string,
): string | undefined => {
  if (kind === undefined || !isKnown(kind)) return undefined;
  if (NEED_CORRELATION.has(kind) && correlation === undefined)
    return `a '${kind}' has to name what it belongs to (correlation)`;
  return isAllowed[directions[kind]](from, to) ? undefined : `a '${kind}' ${words[directions[kind]]}`;
};

const isKnown = (kind: string): kind is MessageKind => Object.hasOwn(directions, kind);

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

const isAllowed: Readonly<Record<Direction, (from: string, to: string) => boolean>> = {
  toChild: (from, to) => parentOf(to) === from,
  toParent: (from, to) => parentOf(from) === to,
  toEither: (from, to) => parentOf(to) === from || parentOf(from) === to,
  toAncestor: (from, to) => from.startsWith(`${to}/`),
  toAnybody: () => true,
};

const words: Readonly<Record<Direction, string>> = {
  toChild: 'goes to a child of who sends it',
  toParent: 'goes to the parent of who sends it',
  toEither: 'goes to a child or the parent of who sends it',
  toAncestor: 'goes to somebody above who sends it',
  toAnybody: 'goes to anybody',
};

/** The causation of a message. */
export type Wake = Pick<Message, 'causation' | 'task' | 'hops'>;

/** The causation of messages that an agent sends after reading others. */
export const wakeOf = (read: readonly Message[]): Wake => {
  const cause = read.reduce<Message | undefined>(
    (deepest, message) =>
      deepest === undefined || (message.hops ?? 0) > (deepest.hops ?? 0) ? message : deepest,
    undefined,
  );
  if (cause?.id === undefined) return {};
  return { causation: cause.id, task: cause.task ?? cause.id, hops: (cause.hops ?? 0) + 1 };
};
