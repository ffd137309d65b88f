import type { DropReason, Message, Overflow } from '../contracts/message.ts';
import { messagePriorities } from '../contracts/message.ts';
import type { Line } from './line.ts';
import { addTo, emptyLine, firstOf, keepIn, withoutFirst } from './line.ts';

/** What waits for one receiver: plain JSON. In each line is what is of one priority, in the order in which it came. */
export interface Mailbox {
  readonly lines: readonly Line<Letter>[];
  readonly size: number;
  /** When the first of them is of no use any more; null where none ever is. */
  readonly expiresAt: number | null;
}

/** A message that waits. */
export interface Letter {
  readonly message: Message;
  readonly expiresAt: number | null;
}

/** How a mailbox is kept, defaults filled in. */
export interface MailboxLimits {
  readonly capacity: number;
  readonly overflow: Overflow;
  readonly ttlMs?: number | undefined;
}

/** What a mailbox holds where nobody says. */
export const mailboxDefaults: MailboxLimits = { capacity: 1000, overflow: 'reject' };

/** A message that is not handed to anybody, and why. */
export interface Dropped {
  readonly message: Message;
  readonly reason: Extract<DropReason, 'full' | 'expired'>;
}

/** What came of putting something in. */
export interface Put {
  readonly mailbox: Mailbox;
  /** `taken`: it is its own from here on, also where it let go of it. `refused`, `blocked`: it stays its sender's. */
  readonly put: 'taken' | 'refused' | 'blocked';
  readonly dropped: readonly Dropped[];
}

/** What was taken out, in the order in which it is to be read. */
export interface Taken {
  readonly mailbox: Mailbox;
  readonly messages: readonly Message[];
  readonly dropped: readonly Dropped[];
}

/** A mailbox with nothing in it. */
export const emptyMailbox: Mailbox = {
  lines: messagePriorities.map(() => emptyLine),
  size: 0,
  expiresAt: null,
};

/**
 * Puts a message into a mailbox: sent = taken out + dropped + refused, always.
 *
 * It holds no more than its capacity. `dropOldest` lets go of the oldest of the least urgent, and never of something more urgent than what
 * comes. What is of no use any more makes room first. Costs the same at message 10 and at message 1,000,000.
 *
 * @example
 * const { mailbox, put: what, dropped } = put(emptyMailbox, { from: 'ada', text: 'hello' }, mailboxDefaults, 0);
 */
export const put = (before: Mailbox, message: Message, limits: MailboxLimits, at: number): Put => {
  const letter: Letter = { message, expiresAt: expiryOf(message, limits, at) };
  if (letter.expiresAt !== null && letter.expiresAt <= at)
    return { mailbox: before, put: 'taken', dropped: [{ message, reason: 'expired' }] };
  const isFull = before.size >= limits.capacity;
  const { mailbox, dropped } = isFull ? withoutExpired(before, at) : { mailbox: before, dropped: NONE };
  if (mailbox.size < limits.capacity) return { mailbox: added(mailbox, letter), put: 'taken', dropped };
  switch (limits.overflow) {
    case 'reject':
      return { mailbox, put: 'refused', dropped };
    case 'block':
      return { mailbox, put: 'blocked', dropped };
    case 'dropNewest':
      return { mailbox, put: 'taken', dropped: [...dropped, { message, reason: 'full' }] };
    case 'dropOldest': {
      const lane = leastUrgent(mailbox, laneOf(message));
      const oldest = lane === undefined ? undefined : firstOf(mailbox.lines[lane] ?? emptyLine);
      if (lane === undefined || oldest === undefined)
        return { mailbox, put: 'taken', dropped: [...dropped, { message, reason: 'full' }] };
      const lines = mailbox.lines.map((line, at) => (at === lane ? withoutFirst(line) : line));
      const room = { ...mailbox, lines, size: mailbox.size - 1 };
      const gone: Dropped = { message: oldest.message, reason: 'full' };
      return { mailbox: added(room, letter), put: 'taken', dropped: [...dropped, gone] };
    }
  }
};

/** Takes everything out: the most urgent first, and of those what came first. */
export const takeAll = (before: Mailbox, at: number): Taken => {
  if (before.size === 0) return { mailbox: before, messages: [], dropped: NONE };
  const { mailbox, dropped } = withoutExpired(before, at);
  return { mailbox: emptyMailbox, messages: messagesIn(mailbox), dropped };
};

/** What is in a mailbox, in the order in which it is to be read. */
export const messagesIn = ({ lines }: Mailbox): readonly Message[] =>
  lines.flatMap(({ full, tail, gone }) =>
    [...full.flat(), ...tail].slice(gone).map(({ message }) => message),
  );

/** Lets go of what is of no use any more. */
export const withoutExpired = (
  mailbox: Mailbox,
  at: number,
): { readonly mailbox: Mailbox; readonly dropped: readonly Dropped[] } => {
  if (mailbox.expiresAt === null || mailbox.expiresAt > at) return { mailbox, dropped: NONE };
  const dropped: Dropped[] = [];
  let expiresAt: number | null = null;
  const isOfUse = (letter: Letter): boolean => {
    if (letter.expiresAt !== null && letter.expiresAt <= at) {
      dropped.push({ message: letter.message, reason: 'expired' });
      return false;
    }
    expiresAt = earlier(expiresAt, letter.expiresAt);
    return true;
  };
  const lines = mailbox.lines.map((line) => keepIn(line, isOfUse));
  return { mailbox: { lines, size: mailbox.size - dropped.length, expiresAt }, dropped };
};

/** What is in a mailbox but for those: they were taken while something else came in. */
export const withoutThose = ({ lines, expiresAt }: Mailbox, gone: ReadonlySet<Message>): Mailbox => {
  const kept = lines.map((line) => keepIn(line, ({ message }) => !gone.has(message)));
  return { lines: kept, size: kept.reduce((sum, { size }) => sum + size, 0), expiresAt };
};

const NONE: readonly Dropped[] = [];

const added = (mailbox: Mailbox, letter: Letter): Mailbox => {
  const lane = laneOf(letter.message);
  return {
    lines: mailbox.lines.map((line, at) => (at === lane ? addTo(line, letter) : line)),
    size: mailbox.size + 1,
    expiresAt: earlier(mailbox.expiresAt, letter.expiresAt),
  };
};

/** Who says nothing of urgency speaks as what he is: an agent, or somebody from outside. */
const laneOf = ({ priority, sender }: Message): number =>
  messagePriorities.indexOf(priority ?? (sender === undefined ? 'human' : 'peer'));

/** The last line that has something in it, if that is no more urgent than `lane`. */
const leastUrgent = ({ lines }: Mailbox, lane: number): number | undefined => {
  const last = lines.findLastIndex(({ size }) => size > 0);
  return last >= lane ? last : undefined;
};

const expiryOf = ({ expiresAt }: Message, { ttlMs }: MailboxLimits, at: number): number | null =>
  earlier(expiresAt ?? null, ttlMs === undefined ? null : at + ttlMs);

const earlier = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
};
