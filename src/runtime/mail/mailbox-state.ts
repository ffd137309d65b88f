import type { Message } from '../../contracts/messages/message.ts';
import type { Mailbox, MailboxLimits } from '../../machines/messages/mailbox.ts';
import { emptyMailbox, mailboxDefaults } from '../../machines/messages/mailbox.ts';
import type { Actor } from '../actors/actor.ts';

/** The mailbox of one actor, with its delivery state. */
export class MailboxState {
  readonly actor: Actor;
  readonly limits: MailboxLimits;
  mailbox: Mailbox = emptyMailbox;
  /** True if it has messages that its machine was not handed yet. */
  isDirty = false;
  /** True if a queued job will hand them over. */
  isCalled = false;
  /** Messages that its machine was handed and has not read. */
  handed: readonly Message[] = [];
  /** Messages read last: what it sends now is caused by them. */
  read: readonly Message[] = [];
  /** Number of refused messages; see `MailRoom`. */
  refused = 0;
  /** Senders that wait for room, in order; called with false if the actor is gone. */
  readonly line: ((isThere: boolean) => void)[] = [];

  constructor(actor: Actor, before?: MailboxState) {
    const { capacity, overflow, ttlMs } = actor.definition.mailbox ?? {};
    this.actor = actor;
    this.limits = {
      capacity: capacity ?? mailboxDefaults.capacity,
      overflow: overflow ?? mailboxDefaults.overflow,
      ttlMs,
    };
    if (before === undefined) return;
    // Takes over from its predecessor, except for the messages that one had read.
    this.mailbox = before.mailbox;
    this.refused = before.refused;
    this.line.push(...before.line.splice(0));
  }

  /** Agents read at the start of a step; teams receive messages at once. */
  get readsInSteps(): boolean {
    return this.actor.definition.agent !== undefined;
  }

  /** True if there is no room for ordinary messages. */
  get isFull(): boolean {
    return this.mailbox.size >= this.limits.capacity;
  }
}
