import type { Message } from '../../contracts/message.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import { SmallSet } from '../../contracts/small-set.ts';

/** Somebody who waits for an answer. */
export interface Asker {
  /** Why an answer cannot stand; undefined if it can. */
  check(answer: Message): string | undefined | Promise<string | undefined>;
  answered(answer: Message): void;
  /** Whoever was asked is gone. */
  left(path: string): void;
  /** Whoever was asked may have nobody left who could answer. */
  lookAgain(): void;
}

/**
 * Questions that wait for an answer, and answers that nobody has taken yet.
 *
 * An answer goes to the work that asked, never into a mailbox: when a run is gone through again that work is not under way, and finds
 * its answer here when it asks once more.
 */
export class Questions {
  /** Questions by the address that was asked, oldest first. */
  readonly #askedOf = new SmallMap<string, Map<string, Message>>();
  readonly #askers = new SmallMap<string, Asker>();
  readonly #answers = new SmallMap<string, Message>();
  /** Those that were read, by their ids. */
  readonly #read = new SmallSet<string>();

  /** A question is in somebody's mailbox. */
  asked(question: Message, of: string): void {
    if (question.id === undefined) return;
    const open = this.#askedOf.get(of) ?? new Map<string, Message>();
    this.#askedOf.set(of, open.set(question.id, question));
  }

  /** Messages were read by whoever got them. */
  read(messages: readonly Message[]): void {
    for (const { id, wantsReply } of messages)
      if (wantsReply === true && id !== undefined && this.#askers.has(id)) this.#read.add(id);
  }

  isRead(id: string): boolean {
    return this.#read.has(id);
  }

  /** Checks whether the answer to a question is there already. */
  isAnswered(id: string): boolean {
    return this.#answers.has(id);
  }

  /** Whoever sits at `of` was told something: perhaps nobody is left there who could answer. */
  lookAgain(of: string): void {
    if (this.#read.size === 0) return;
    for (const id of this.#askedOf.get(of)?.keys() ?? [])
      if (this.#read.has(id)) this.#askers.get(id)?.lookAgain();
  }

  /** The question that `of` was asked and has not answered: the one with that id, else the oldest. */
  openTo(of: string, id?: string): Message | undefined {
    const open = this.#askedOf.get(of);
    return id === undefined ? open?.values().next().value : open?.get(id);
  }

  /** Has somebody wait for an answer; it may be there already. Gives what ends the wait. */
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

  /** Who waits for the answer to a question; undefined where nobody does any more. */
  askerOf(id: string): Asker | undefined {
    return this.#askers.get(id);
  }

  /** An answer is on record. */
  answered(answer: Message, from: string | undefined): void {
    const { correlation: id = '' } = answer;
    if (from !== undefined) this.#askedOf.get(from)?.delete(id);
    this.#answers.set(id, answer);
    this.#askers.get(id)?.answered(answer);
  }

  /** A question was dropped before it was read. */
  lost({ id = '' }: Message, of: string): void {
    this.#askedOf.get(of)?.delete(id);
    this.#askers.get(id)?.left(of);
  }

  /** Whoever was asked is gone: nobody will answer any more, but what whoever follows it has still to read. */
  left(path: string, unread: readonly Message[] = []): void {
    const open = this.#askedOf.get(path);
    const kept = unread.filter(({ id }) => id !== undefined && open?.has(id) === true);
    this.#askedOf.delete(path);
    for (const { id = '' } of kept) open?.delete(id);
    for (const question of kept) this.asked(question, path);
    for (const id of open?.keys() ?? []) this.#askers.get(id)?.left(path);
  }

  /** Somebody follows whoever was asked. */
  moved(from: string, to: string): void {
    const open = this.#askedOf.get(from);
    this.#askedOf.delete(from);
    for (const question of open?.values() ?? []) this.asked(question, to);
  }
}
