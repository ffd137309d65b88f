import type { Message } from '../../contracts/messages/message.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';

/** Work that waits for an answer. */
export interface Asker {
  /** The reason for rejecting an answer; undefined if it is valid. */
  check(answer: Message): string | undefined | Promise<string | undefined>;
  answered(answer: Message): void;
  /** The asked agent is gone. */
  left(path: string): void;
  /** The asked agent may no longer be able to answer. */
  recheck(): void;
}

/**
 * Questions that wait for an answer, and answers that wait for their work.
 *
 * An answer goes to the work that asked, never into a mailbox: during a replay that work is not running, and finds its answer here when it
 * asks again.
 */
export class Questions {
  /** Questions by the address that was asked, oldest first. */
  readonly #askedOf = new SmallMap<string, Map<string, Message>>();
  readonly #askers = new SmallMap<string, Asker>();
  readonly #answers = new SmallMap<string, Message>();
  /** Ids of questions that were read. */
  readonly #read = new SmallSet<string>();

  /** Registers a delivered question. */
  asked(question: Message, of: string): void {
    if (question.id === undefined) return;
    const open = this.#askedOf.get(of) ?? new Map<string, Message>();
    this.#askedOf.set(of, open.set(question.id, question));
  }

  /** Registers that messages were read. */
  read(messages: readonly Message[]): void {
    for (const { id, wantsReply } of messages)
      if (wantsReply === true && id !== undefined && this.#askers.has(id)) this.#read.add(id);
  }

  isRead(id: string): boolean {
    return this.#read.has(id);
  }

  /** Checks whether a question is answered. */
  isAnswered(id: string): boolean {
    return this.#answers.has(id);
  }

  /** Checks read questions to `of` again, as the agent may no longer be able to answer. */
  recheck(of: string): void {
    if (this.#read.size === 0) return;
    for (const id of this.#askedOf.get(of)?.keys() ?? [])
      if (this.#read.has(id)) this.#askers.get(id)?.recheck();
  }

  /** An open question to `of`: the one with that id, else the oldest. */
  openTo(of: string, id?: string): Message | undefined {
    const open = this.#askedOf.get(of);
    return id === undefined ? open?.values().next().value : open?.get(id);
  }

  /** Waits for an answer, which may be there already; returns a function that ends the wait. */
  wait(id: string, asker: Asker): () => void {
    const answer = this.#answers.get(id);
    if (answer === undefined) this.#askers.set(id, asker);
    else asker.answered(answer);
    return () => {
      this.#askers.delete(id);
      this.#read.delete(id);
      this.#answers.delete(id);
      for (const open of this.#askedOf.values()) open.delete(id);
    };
  }

  /** The work that waits for the answer; undefined if it no longer does. */
  askerOf(id: string): Asker | undefined {
    return this.#askers.get(id);
  }

  /** Registers an answer. */
  answered(answer: Message, from: string | undefined): void {
    const { correlation: id = '' } = answer;
    if (from !== undefined) this.#askedOf.get(from)?.delete(id);
    this.#answers.set(id, answer);
    this.#askers.get(id)?.answered(answer);
  }

  /** Registers that a question was dropped before it was read. */
  lost({ id = '' }: Message, of: string): void {
    this.#askedOf.get(of)?.delete(id);
    this.#askers.get(id)?.left(of);
  }

  /** Registers that the asked agent is gone: its questions fail, except unread ones, which a successor may answer. */
  left(path: string, unread: readonly Message[] = []): void {
    const open = this.#askedOf.get(path);
    const kept = unread.filter(({ id }) => id !== undefined && open?.has(id) === true);
    this.#askedOf.delete(path);
    for (const { id = '' } of kept) open?.delete(id);
    for (const question of kept) this.asked(question, path);
    for (const id of open?.keys() ?? []) this.#askers.get(id)?.left(path);
  }

  /** Moves the questions of an agent to its successor. */
  moved(from: string, to: string): void {
    const open = this.#askedOf.get(from);
    this.#askedOf.delete(from);
    for (const question of open?.values() ?? []) this.asked(question, to);
  }
}
