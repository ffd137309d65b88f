import type { ErrorData } from './error.ts';
import type { Json } from './json.ts';

/**
 * Something said between agents, or from and to people. Never an event.
 *
 * It lands in the receiver's mailbox and is seen at its next OBSERVE. All but what is said is the runtime's: whoever sends a message
 * does not say who it is from, and cannot.
 */
export interface Message {
  /** The name of an agent, or `'person'`. */
  readonly from: string;
  readonly text: string;
  readonly data?: Json | undefined;
  /** Unique in the run. Absent before it is sent. */
  readonly id?: string | undefined;
  /** The address of the agent that sent it; absent for one from outside the run. */
  readonly sender?: string | undefined;
  /** What kind of thing it is: the name of a message of a protocol, or of {@link MessageKind}. */
  readonly kind?: string | undefined;
  /** The protocol that it is of. */
  readonly protocol?: string | undefined;
  /** True if its sender waits for an answer. */
  readonly wantsReply?: true | undefined;
  /** The id of the message that it answers. */
  readonly correlation?: string | undefined;
  /** The id of the message in whose wake it was sent. */
  readonly causation?: string | undefined;
  /** The id of the message that began it all: what they talk about. */
  readonly task?: string | undefined;
  /** The number of messages before it, each in the wake of the one before. */
  readonly hops?: number | undefined;
  /** The topic that it was published under. */
  readonly topic?: string | undefined;
  /** Default `human` for one from outside, `peer` for one of an agent. */
  readonly priority?: MessagePriority | undefined;
  /** When nobody wants it any more, in ms since 1970. */
  readonly expiresAt?: number | undefined;
}

/** In this order messages are read; those of one priority and one sender in the order in which they were sent. */
export const messagePriorities = ['control', 'human', 'peer', 'data'] as const;

/** The urgency of a message; see {@link messagePriorities}. */
export type MessagePriority = (typeof messagePriorities)[number];

/**
 * What agents of a hierarchy say: `delegation` to a child, `status` and `completion` to the parent, `clarification` to either,
 * `escalation` to anybody above, `answer` to whoever asked, `system` to anybody. Anything else may be said by anybody to anybody.
 */
export type MessageKind =
  'delegation' | 'status' | 'completion' | 'clarification' | 'escalation' | 'answer' | 'system';

/**
 * What becomes of a message for a mailbox that is full: `reject` tells its sender, `dropNewest` lets it go, `dropOldest` lets the oldest
 * of the least urgent go, `block` has whoever can wait wait for room.
 */
export type Overflow = 'reject' | 'dropOldest' | 'dropNewest' | 'block';

/** How a mailbox is kept. */
export interface MailboxOptions {
  /** Messages that wait in it at most. Default 1,000. */
  readonly capacity?: number | undefined;
  /** Default `reject`. */
  readonly overflow?: Overflow | undefined;
  /** The time that a message waits at most, in ms. Default: for ever. */
  readonly ttlMs?: number | undefined;
}

/** What an agent does with messages. */
export interface AgentMailbox extends MailboxOptions {
  /** Topics whose messages it gets from its beginning. */
  readonly topics?: readonly string[] | undefined;
  /**
   * What becomes of messages that came in while it found its answer: `leave` lets them go, as dead letters (default); `read` has it
   * read them first, in a step more, within its limits.
   */
  readonly unread?: 'leave' | 'read' | undefined;
}

/** Why a message reached nobody. */
export const dropReasons = [
  'nobody',
  'full',
  'expired',
  'unread',
  'quarantined',
  'escalated',
  'hops',
  'ping-pong',
  'direction',
  'deadlock',
] as const;

/** Why a message reached nobody; see {@link dropReasons}. */
export type DropReason = (typeof dropReasons)[number];

/** A message that reached nobody. */
export interface DeadLetter {
  /** The address that it was for. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly id?: string | undefined;
  readonly reason: DropReason;
  /** The number of letters of the same sender and reason that this stands for, where they were too many to be reported one by one. */
  readonly count?: number | undefined;
  readonly at: number;
}

/** The limits of talk in a run. */
export interface MessageLimits {
  /** Messages in a row, each in the wake of the one before. Default 32. */
  readonly maxHops?: number | undefined;
  /** Messages from one agent to another about the same thing. Default 16. */
  readonly maxExchanges?: number | undefined;
}

/** What is said, and how. */
export interface TellOptions {
  readonly data?: Json | undefined;
  readonly kind?: string | undefined;
  readonly protocol?: string | undefined;
  readonly priority?: MessagePriority | undefined;
  /** The time that it is of use, in ms. Default: as the receiver's mailbox says. */
  readonly ttlMs?: number | undefined;
  /** The id of the message that it answers. */
  readonly correlation?: string | undefined;
}

/** What is asked, and how long its answer is waited for. */
export interface AskOptions extends Omit<TellOptions, 'correlation'> {
  /** In ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** What is taken for the answer where there is none in time; without it that is an error. */
  readonly otherwise?: string | undefined;
  /** Says why an answer cannot stand; whoever gave it is told, and the question stays open. */
  readonly check?: ((answer: Answer) => string | undefined | Promise<string | undefined>) | undefined;
}

/** What came back. */
export interface Answer {
  readonly from: string;
  readonly text: string;
  readonly data?: Json | undefined;
  /** Nobody said it: it is what was to be taken where nobody answers in time. */
  readonly isDefault?: true | undefined;
}

/** How an agent talks to others of its run, from within a tool. */
export interface Messenger {
  /**
   * Says something to somebody: a child, a sibling, a parent or any ancestor by its name, anybody by an address. Resolves with the id of
   * the message once it is in the mailbox; where that blocks, when there is room.
   *
   * Rejects with `message.undelivered` where nobody is there or the mailbox is full, with `message.refused` for what must not be said.
   */
  tell(to: string, text: string, options?: TellOptions): Promise<string>;
  /**
   * Says something and waits for the answer. Rejects with `wait.deadlock` where that would close a circle of those who wait for each
   * other, with `message.timeout`, and with `message.undelivered` where whoever was asked ended without answering.
   */
  ask(to: string, text: string, options?: AskOptions): Promise<Answer>;
  /** Answers a message by its id; without one, the oldest question that is open. */
  reply(
    text: string,
    options?: { readonly to?: string | undefined; readonly data?: Json | undefined },
  ): Promise<string>;
  /** Says something to all who work beside it and for it; gives whom it reached, by address. */
  broadcast(text: string, options?: TellOptions): Promise<readonly string[]>;
  /** Says something to all who subscribed to a topic, but for itself; gives whom it reached, by address. */
  publish(topic: string, text: string, options?: TellOptions): Promise<readonly string[]>;
  /** Has this agent get what is published under a topic from now on, or no more. */
  subscribe(topic: string, isOn?: boolean): void;
  /** Who can be talked to by name: children, siblings, and all above. */
  readonly names: readonly string[];
  /** What this agent and another, by name or address, said to each other, oldest first. */
  saidWith(other: string): readonly Message[];
}

/** How somebody that was watched came to its end. */
export interface Terminated {
  readonly path: string;
  readonly agent: string;
  /** `normal` where it completed, `error` where it failed, `stopped` by a rule of its own, `killed` from outside. */
  readonly reason: 'normal' | 'error' | 'stopped' | 'killed';
  readonly error?: ErrorData | undefined;
  readonly at: number;
}
