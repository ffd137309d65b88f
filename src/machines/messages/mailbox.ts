import type { DropReason, Message, Overflow } from '../../contracts/messages/message.ts';
import { messagePriorities } from '../../contracts/messages/message.ts';
import type { JsonQueue } from '../../base/collections/json-queue.ts';
import { enqueue, emptyQueue, peekFirst, filterQueue, dequeue } from '../../base/collections/json-queue.ts';

/** The messages that wait for one receiver: plain JSON, one queue per priority. */
export interface Mailbox {
  readonly lines: readonly JsonQueue<QueuedMessage>[];
  readonly size: number;
  /** The earliest expiry; null if no message expires. */
  readonly expiresAt: number | null;
}

/** A waiting message. */
export interface QueuedMessage {
  readonly message: Message;
  readonly expiresAt: number | null;
}

/** Mailbox options with defaults. */
export interface MailboxLimits {
  readonly capacity: number;
  readonly overflow: Overflow;
  readonly ttlMs?: number | undefined;
}

/** Default limits of a mailbox. */
export const mailboxDefaults: MailboxLimits = { capacity: 1000, overflow: 'reject' };

/** A message that will not be delivered, and the reason. */
export interface Dropped {
  readonly message: Message;
  readonly reason: Extract<DropReason, 'full' | 'expired'>;
}

/** The result of {@link putMessage}. */
export interface Put {
  readonly mailbox: Mailbox;
  /** `taken`: the mailbox owns the message, even if it dropped it. `refused`, `blocked`: it stays with its sender. */
  readonly put: 'taken' | 'refused' | 'blocked';
  readonly dropped: readonly Dropped[];
}

/** The messages taken out, in reading order. */
export interface TakenMessages {
  readonly mailbox: Mailbox;
  readonly messages: readonly Message[];
  readonly dropped: readonly Dropped[];
}

/** An empty mailbox. */
export const emptyMailbox: Mailbox = {
  lines: messagePriorities.map(() => emptyQueue),
  size: 0,
  expiresAt: null,
};

/**
 * Puts a message into a mailbox: sent = taken out + dropped + refused, always.
 *
 * It holds at most its capacity. `dropOldest` drops the oldest of the least urgent messages, and never one more urgent than the new one.
 * Expired messages are dropped first. The cost does not grow with the number of messages.
 *
 * @example
 * const { mailbox, put: what, dropped } = put(emptyMailbox, { from: 'ada', text: 'hello' }, mailboxDefaults, 0);
 */
export const putMessage = (before: Mailbox, message: Message, limits: MailboxLimits, at: number): Put => {
  const letter: QueuedMessage = { message, expiresAt: expiryOf(message, limits, at) };
  if (letter.expiresAt !== null && letter.expiresAt <= at)
    return { mailbox: before, put: 'taken', dropped: [{ message, reason: 'expired' }] };
  const isFull = before.size >= limits.capacity;
  const { mailbox, dropped } = isFull ? withoutExpired(before, at) : { mailbox: before, dropped: NONE };
  if (mailbox.size < limits.capacity) return { mailbox: addLetter(mailbox, letter), put: 'taken', dropped };
  switch (limits.overflow) {
    case 'reject':
      return { mailbox, put: 'refused', dropped };
    case 'block':
      return { mailbox, put: 'blocked', dropped };
    case 'dropNewest':
      return { mailbox, put: 'taken', dropped: [...dropped, { message, reason: 'full' }] };
    case 'dropOldest': {
      const lane = leastUrgent(mailbox, laneOf(message));
      const oldest = lane === undefined ? undefined : peekFirst(mailbox.lines[lane] ?? emptyQueue);
      if (lane === undefined || oldest === undefined)
        return { mailbox, put: 'taken', dropped: [...dropped, { message, reason: 'full' }] };
      const lines = mailbox.lines.map((line, at) => (at === lane ? dequeue(line) : line));
      const room = { ...mailbox, lines, size: mailbox.size - 1 };
      const gone: Dropped = { message: oldest.message, reason: 'full' };
      return { mailbox: addLetter(room, letter), put: 'taken', dropped: [...dropped, gone] };
    }
  }
};

/** Takes out all messages: most urgent first, then in order of arrival. */
export const takeAll = (before: Mailbox, at: number): TakenMessages => {
  if (before.size === 0) return { mailbox: before, messages: [], dropped: NONE };
  const { mailbox, dropped } = withoutExpired(before, at);
  return { mailbox: emptyMailbox, messages: messagesIn(mailbox), dropped };
};

/** The messages in a mailbox, in reading order. */
export const messagesIn = ({ lines }: Mailbox): readonly Message[] =>
  lines.flatMap(({ full, tail, gone }) =>
    [...full.flat(), ...tail].slice(gone).map(({ message }) => message),
  );

/** Drops expired messages. */
export const withoutExpired = (
  mailbox: Mailbox,
  at: number,
): { readonly mailbox: Mailbox; readonly dropped: readonly Dropped[] } => {
  if (mailbox.expiresAt === null || mailbox.expiresAt > at) return { mailbox, dropped: NONE };
  const dropped: Dropped[] = [];
  let expiresAt: number | null = null;
  const isOfUse = (letter: QueuedMessage): boolean => {
    if (letter.expiresAt !== null && letter.expiresAt <= at) {
      dropped.push({ message: letter.message, reason: 'expired' });
      return false;
    }
    expiresAt = earlier(expiresAt, letter.expiresAt);
    return true;
  };
  const lines = mailbox.lines.map((line) => filterQueue(line, isOfUse));
  return { mailbox: { lines, size: mailbox.size - dropped.length, expiresAt }, dropped };
};

/** Removes the given messages, which were taken while others arrived. */
export const withoutThose = ({ lines, expiresAt }: Mailbox, gone: ReadonlySet<Message>): Mailbox => {
  const kept = lines.map((line) => filterQueue(line, ({ message }) => !gone.has(message)));
  return { lines: kept, size: kept.reduce((sum, { size }) => sum + size, 0), expiresAt };
};

const NONE: readonly Dropped[] = [];

const addLetter = (mailbox: Mailbox, letter: QueuedMessage): Mailbox => {
  const lane = laneOf(letter.message);
  return {
    lines: mailbox.lines.map((line, at) => (at === lane ? enqueue(line, letter) : line)),
    size: mailbox.size + 1,
    expiresAt: earlier(mailbox.expiresAt, letter.expiresAt),
  };
};

/** Default priority: that of an agent, or of an outside sender. */
const laneOf = ({ priority, sender }: Message): number =>
  messagePriorities.indexOf(priority ?? (sender === undefined ? 'human' : 'peer'));

/** Index of the least urgent queue with messages, unless it is more urgent than `lane`. */
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
