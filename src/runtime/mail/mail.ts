import type { DropReason, Message } from '../../contracts/messages/message.ts';
import type { Actor } from '../actors/actor.ts';
import type { Questions } from './questions.ts';
import type { Talk } from './talk.ts';
import type { Topics } from './topics.ts';

/** The calls that a messenger needs of the mail of its run. */
export interface Mail {
  readonly questions: Questions;
  readonly topics: Topics;
  readonly talk: Talk;
  /** The actor that a name refers to: running, or waiting for a restart. */
  resolve(from: Actor, name: string): Actor | undefined;
  /** The actor at an address now, or one there that may have a successor. */
  actorAt(path: string): Actor | undefined;
  carry(message: Message, path: string): boolean;
  carryWhenRoom(message: Message, path: string): Promise<boolean>;
  /** Checks whether a sender has to wait there. */
  isBlocking(path: string): boolean;
  /** Messages that an agent read last. */
  readBy(actor: Actor): readonly Message[];
  recordDrop(message: Message, to: string, reason: DropReason): void;
}
