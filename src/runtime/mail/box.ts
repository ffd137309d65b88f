import type { Message } from '../../contracts/message.ts';
import type { Mailbox, MailboxLimits } from '../../machines/mailbox.ts';
import { emptyMailbox, mailboxDefaults } from '../../machines/mailbox.ts';
import type { Actor } from '../actors/actor.ts';

/** What the runtime keeps for one receiver. */
export class Box {
  readonly actor: Actor;
  readonly limits: MailboxLimits;
  mailbox: Mailbox = emptyMailbox;
  /** Something came in that its machine was not handed yet. */
  isDirty = false;
  /** It will be handed what there is, by a job that is in the queue. */
  isCalled = false;
  /** What its machine was handed, and has not read yet. */
  handed: readonly Message[] = [];
  /** What it read last: what it says now is in the wake of that. */
  read: readonly Message[] = [];
  /** Refused so far; see `MailRoom`. */
  refused = 0;
  /** Whoever waits for room, in turn; told false where nobody is left. */
  readonly line: ((isThere: boolean) => void)[] = [];

  constructor(actor: Actor, before?: Box) {
    const { capacity, overflow, ttlMs } = actor.definition.mailbox ?? {};
    this.actor = actor;
    this.limits = {
      capacity: capacity ?? mailboxDefaults.capacity,
      overflow: overflow ?? mailboxDefaults.overflow,
      ttlMs,
    };
    if (before === undefined) return;
    // It takes over from the one before it: what that one had read is gone with it.
    this.mailbox = before.mailbox;
    this.refused = before.refused;
    this.line.push(...before.line.splice(0));
  }

  /** Agents read at the beginning of a step; a team is told at once. */
  get readsInSteps(): boolean {
    return this.actor.definition.agent !== undefined;
  }

  /** True if there is no room for those that are not let in on purpose. */
  get isFull(): boolean {
    return this.mailbox.size >= this.limits.capacity;
  }
}
