import type { GivenPart, Part } from '../content/part.ts';
import type { ErrorData } from '../errors/error-data.ts';
import type { Json } from '../../base/json/json.ts';

/**
 * A message between agents, or from and to people. Not an event.
 *
 * It is delivered to the receiver's mailbox and seen at its next OBSERVE. The runtime sets all fields but the content:
 * a sender cannot forge where a message is from.
 */
export interface Message {
  /** The name of an agent, or `'person'`. */
  readonly from: string;
  readonly text: string;
  /** All of its content, in order, if it is more than text; `text` then stands for it where only text fits. */
  readonly parts?: readonly Part[] | undefined;
  readonly data?: Json | undefined;
  /** Unique in the run. Absent before it is sent. */
  readonly id?: string | undefined;
  /** The address of the agent that sent it; absent for one from outside the run. */
  readonly sender?: string | undefined;
  /** The type of a message: a name of a protocol, or of {@link MessageKind}. */
  readonly kind?: string | undefined;
  /** The protocol that it is of. */
  readonly protocol?: string | undefined;
  /** True if its sender waits for an answer. */
  readonly wantsReply?: true | undefined;
  /** The id of the message that it answers. */
  readonly correlation?: string | undefined;
  /** The id of the message in whose wake it was sent. */
  readonly causation?: string | undefined;
  /** Id of the first message of the exchange. */
  readonly task?: string | undefined;
  /** The number of messages before it, each in the wake of the one before. */
  readonly hops?: number | undefined;
  /** The topic that it was published under. */
  readonly topic?: string | undefined;
  /** Default `human` for one from outside, `peer` for one of an agent. */
  readonly priority?: MessagePriority | undefined;
  /** Time at which it expires, in ms since 1970. */
  readonly expiresAt?: number | undefined;
  /** Origins of what its sender had read, for `after` of policies. Those of a message from outside are yours to name: `['mail']`. Default: none. */
  readonly origins?: readonly string[] | undefined;
}

/** In this order messages are read; those of one priority and one sender in the order in which they were sent. */
export const messagePriorities = ['control', 'human', 'peer', 'data'] as const;

/** The urgency of a message; see {@link messagePriorities}. */
export type MessagePriority = (typeof messagePriorities)[number];

/**
 * Kinds of messages in a hierarchy: `delegation` to a child, `status` and `completion` to the parent, `clarification`
 * to either, `escalation` to any ancestor, `answer` to the asker, `system` to anybody. Other kinds may go from anybody
 * to anybody.
 */
export type MessageKind =
  | 'delegation'
  | 'status'
  | 'completion'
  | 'clarification'
  | 'escalation'
  | 'answer'
  | 'system';

/**
 * Handling of a message to a full mailbox: `reject` fails for the sender, `dropNewest` drops it, `dropOldest` drops the
 * oldest of the least urgent, `block` makes a sender that can wait wait for room.
 */
export type Overflow = 'reject' | 'dropOldest' | 'dropNewest' | 'block';

/** Options of a mailbox. */
export interface MailboxOptions {
  /** Messages that wait in it at most. Default 1,000. */
  readonly capacity?: number | undefined;
  /** Default `reject`. */
  readonly overflow?: Overflow | undefined;
  /** The time that a message waits at most, in ms. Default: for ever. */
  readonly ttlMs?: number | undefined;
}

/** An agent's handling of messages. */
export interface AgentMailbox extends MailboxOptions {
  /** Topics whose messages it gets from its beginning. */
  readonly topics?: readonly string[] | undefined;
  /**
   * Handling of messages that arrive while it composes its answer: `leave` drops them as dead letters; `read` adds a step to read them
   * first, within its limits. Default: `leave`, except what people say to the agent that is run, which it reads.
   */
  readonly unread?: 'leave' | 'read' | undefined;
}

/** Reasons why a message was not delivered. */
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

/** Reason why a message was not delivered; see {@link dropReasons}. */
export type DropReason = (typeof dropReasons)[number];

/** A message that was not delivered. */
export interface DeadLetter {
  /** The address that it was for. */
  readonly to: string;
  readonly from: string;
  readonly text: string;
  readonly id?: string | undefined;
  readonly reason: DropReason;
  /**
   * Number of letters of the same sender and reason that this one stands for, where they were too many to be reported
   * one by one.
   */
  readonly count?: number | undefined;
  readonly at: number;
}

/** The limits of talk in a run. */
export interface MessageLimits {
  /** Messages in a row, each in the wake of the one before. Default 32. */
  readonly maxHops?: number | undefined;
  /** Maximum number of messages from one agent to another about the same task. Default 16. */
  readonly maxExchanges?: number | undefined;
}

/** Options of a message. */
export interface TellOptions {
  /** Images, audio, files and data that follow the text. */
  readonly parts?: readonly GivenPart[] | undefined;
  readonly data?: Json | undefined;
  readonly kind?: string | undefined;
  readonly protocol?: string | undefined;
  readonly priority?: MessagePriority | undefined;
  /** Time to live, in ms. Default: that of the receiver's mailbox. */
  readonly ttlMs?: number | undefined;
  /** The id of the message that it answers. */
  readonly correlation?: string | undefined;
}

/** Options of a question, and how long to wait for the answer. */
export interface AskOptions extends Omit<TellOptions, 'correlation'> {
  /** In ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** The answer to use on time-out; without it a time-out is an error. */
  readonly otherwise?: string | undefined;
  /** Returns the reason why an answer is refused; its sender is notified, and the question stays open. */
  readonly check?: ((answer: Answer) => string | undefined | Promise<string | undefined>) | undefined;
}

/** The answer to a question. */
export interface Answer {
  readonly from: string;
  readonly text: string;
  readonly data?: Json | undefined;
  /** True if nobody answered in time and this is the configured default. */
  readonly isDefault?: true | undefined;
}

/** Sends messages to other agents of the run, from within a tool. */
export interface Messenger {
  /**
   * Sends a message: to a child, a sibling, a parent or any ancestor by name, to anybody by address. Resolves with the
   * message id once it is in the mailbox; where the mailbox blocks, when there is room.
   *
   * Rejects with `message.undelivered` if nobody is there or the mailbox is full, with `message.refused` for a message
   * that is not allowed.
   */
  tell(to: string, text: string, options?: TellOptions): Promise<string>;
  /**
   * Sends a question and waits for the answer. Rejects with `wait.deadlock` if that would close a circle of waiting
   * agents, with `message.timeout`, and with `message.undelivered` if the receiver ended without answering.
   */
  ask(to: string, text: string, options?: AskOptions): Promise<Answer>;
  /** Answers a message by its id; without one, the oldest question that is open. */
  reply(
    text: string,
    options?: { readonly to?: string | undefined; readonly data?: Json | undefined },
  ): Promise<string>;
  /** Sends a message to all its siblings and children; returns the addresses reached. */
  broadcast(text: string, options?: TellOptions): Promise<readonly string[]>;
  /** Sends a message to all other subscribers of a topic; returns the addresses reached. */
  publish(topic: string, text: string, options?: TellOptions): Promise<readonly string[]>;
  /** Subscribes this agent to a topic, or unsubscribes it. */
  subscribe(topic: string, isOn?: boolean): void;
  /** Agents that can be addressed by name: children, siblings, and all ancestors. */
  readonly names: readonly string[];
  /** Returns the messages exchanged with another agent, given by name or address, oldest first. */
  saidWith(other: string): readonly Message[];
}

/** The end of a watched agent. */
export interface Terminated {
  readonly path: string;
  readonly agent: string;
  /** `normal` if it completed, `error` if it failed, `stopped` by a rule of its own, `killed` from outside. */
  readonly reason: 'normal' | 'error' | 'stopped' | 'killed';
  readonly error?: ErrorData | undefined;
  readonly at: number;
}
