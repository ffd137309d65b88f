import type { DropReason, Message } from '../../contracts/message.ts';
import type { Actor } from '../actors/actor.ts';
import type { Questions } from './questions.ts';
import type { Talk } from './talk.ts';
import type { Topics } from './topics.ts';

/** What a messenger needs of the mail of its run. */
export interface Mail {
  readonly questions: Questions;
  readonly topics: Topics;
  readonly talk: Talk;
  /** Whom somebody means by a name: one who runs, or who may be restarted. */
  meant(from: Actor, name: string): Actor | undefined;
  /** Who sits at an address now, or may be followed by another. */
  sitsAt(path: string): Actor | undefined;
  carry(message: Message, path: string): boolean;
  carryWhenRoom(message: Message, path: string): Promise<boolean>;
  /** Checks whether a sender there has to wait. */
  isBlocking(path: string): boolean;
  /** What an agent read last. */
  readBy(actor: Actor): readonly Message[];
  tellDrop(message: Message, to: string, reason: DropReason): void;
}
