import type { EventBody } from '../../contracts/event.ts';
import type { DropReason, Message, MessageLimits, Messenger } from '../../contracts/message.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import type { Dropped } from '../../machines/mailbox.ts';
import {
  emptyMailbox,
  messagesIn,
  put,
  takeAll,
  withoutExpired,
  withoutThose,
} from '../../machines/mailbox.ts';
import { messageLimits } from '../../machines/message-rules.ts';
import type { Actor, Job } from '../actors/actor.ts';
import type { Host } from '../turn/driven-host.ts';
import { nextTurn } from '../run/pacer.ts';
import type { ArrivalRecorder } from '../journal/write/recorder.ts';
import { Box } from './box.ts';
import type { TalkingRun, TalkingWork } from './messenger.ts';
import { EffectMessenger } from './messenger.ts';
import type { Mail } from './mail.ts';
import { Numbering } from './numbering.ts';
import { Questions } from './questions.ts';
import { meantBy } from './reach.ts';
import { sentEvent } from './sent-event.ts';
import type { Left } from './successions.ts';
import { isMember, Successions, tellsOfSuccession } from './successions.ts';
import { Talk } from './talk.ts';
import { Topics } from './topics.ts';

/** One in so many refusals of a mailbox is told, after the first: a flood must not fill the log in its place. */
const TELL_EACH = 1000;

/** What the mail of a run needs of it. */
export interface MailedRun extends TalkingRun {
  readonly host: Pick<Host, 'deliver'>;
  readonly journal: ArrivalRecorder;
  readonly root: Actor;
  readonly isOver: boolean;
  readonly actors: TalkingRun['actors'] & { at(path: string): Actor | undefined };
  enqueue(job: Job): void;
}

/**
 * The messages of a run: who gets them, when, and what becomes of those that nobody gets.
 *
 * I1  What a mailbox took is read once, or dropped and told; what it did not take is its sender's.
 * I2  An agent is handed its mail before whatever else it is told: a step begins with all that came before it.
 * I3  Who a message of an agent is from is said by the runtime, and nowhere else.
 */
export class MailRoom implements Mail {
  readonly #run: MailedRun;
  readonly #limits: MessageLimits | undefined;
  readonly #boxes = new SmallMap<Actor, Box>();
  // Made when they are needed: most agents that wait have never had a message.
  #questions: Questions | undefined;
  #topics: Topics | undefined;
  #talk: Talk | undefined;
  #successions: Successions | undefined;
  #numbering: Numbering | undefined;

  constructor(run: MailedRun, limits: MessageLimits | undefined) {
    this.#run = run;
    this.#limits = limits;
  }

  get questions(): Questions {
    return (this.#questions ??= new Questions());
  }
  get topics(): Topics {
    return (this.#topics ??= new Topics());
  }
  get talk(): Talk {
    const { maxHops, maxExchanges } = this.#limits ?? {};
    return (this.#talk ??= new Talk({
      maxHops: maxHops ?? messageLimits.maxHops,
      maxExchanges: maxExchanges ?? messageLimits.maxExchanges,
    }));
  }
  get #numbers(): Numbering {
    return (this.#numbering ??= new Numbering());
  }

  /** A message from outside to the agent at `path`; false if nobody is there to take it, or it has no room. */
  send(message: Message, path: string = this.#run.root.path): boolean {
    return this.carry(this.#numbers.fromOutside(message), path);
  }

  /** Like `send`, once there is room where the mailbox blocks. */
  sendWhenRoom(message: Message, path: string = this.#run.root.path): Promise<boolean> {
    return this.carryWhenRoom(this.#numbers.fromOutside(message), path);
  }

  /** Takes a message into the run: on record first, where it has a journal. One that has no room is refused before. */
  carry(message: Message, path: string, isInTurn = false): boolean {
    const { journal, isOver } = this.#run;
    const actor = this.sitsAt(path);
    const box = actor && this.#boxes.get(actor);
    if (box !== undefined && message.kind !== 'answer' && this.#isShut(box, isInTurn))
      return this.#refuse(message, box);
    if (isOver) return this.post(message, path);
    let isTaken = false;
    journal.take(actor?.scope, { type: 'message', path, message }, () => {
      isTaken = this.post(message, path);
    });
    return isTaken;
  }

  /** Like `carry`; where the mailbox blocks, in turn with all who wait for room. */
  carryWhenRoom(message: Message, path: string): Promise<boolean> {
    const box = this.#blocking(path);
    if (box === undefined) return Promise.resolve(this.carry(message, path));
    return new Promise((resolve) => {
      box.line.push((isThere) => {
        resolve(isThere && this.carry(message, path, true));
      });
    });
  }

  isBlocking(path: string): boolean {
    return this.#blocking(path) !== undefined;
  }

  /** Talks for the work of an effect. */
  messengerFor(work: TalkingWork): Messenger {
    return new EffectMessenger(work, this, this.#run);
  }

  /** The mailbox at `path`, where whoever sends to it has to wait. */
  #blocking(path: string): Box | undefined {
    const actor = this.sitsAt(path);
    const box = actor && this.#boxes.get(actor);
    return box?.limits.overflow === 'block' && this.#isShut(box, false) ? box : undefined;
  }

  /** Puts a message that is on record into a mailbox; false, and told, where nobody is there or it has no room. */
  post(message: Message, path: string): boolean {
    return this.#deliver(message, path, this.sitsAt(path));
  }

  /** A message of a machine: to whom it means by a name. */
  postFrom(from: Actor, to: string, { text, data, kind, correlation }: Message): void {
    const id = this.#numbers.idFor(from.path);
    const rest = {
      ...(data === undefined ? {} : { data }),
      ...(kind === undefined ? {} : { kind }),
      ...(correlation === undefined ? {} : { correlation }),
    };
    const message: Message = { from: from.agent, sender: from.path, text, ...rest, id };
    this.#deliver(message, to, this.meant(from, to));
  }

  meant(from: Actor, name: string): Actor | undefined {
    return meantBy(from, name, (path) => this.sitsAt(path), this.#successions?.near(from) ?? []);
  }

  /** Whoever sits at an address, follows whoever did, or did and may be followed. */
  sitsAt(path: string): Actor | undefined {
    if (this.#run.isOver) return undefined;
    const last = this.#successions?.leadsTo(path) ?? path;
    return this.#run.actors.at(last) ?? this.#successions?.at(last);
  }

  /** Takes down what happened elsewhere in the run. */
  note(message: Message, path: string): void {
    this.talk.note(message, path);
    this.#numbers.note(message);
  }

  /** What an agent read last. */
  readBy(actor: Actor): readonly Message[] {
    return this.#boxes.get(actor)?.read ?? [];
  }

  /** Hands an actor what came in since: before it is told anything else, or because it was called. */
  handOver(actor: Actor, isCall = false): void {
    const box = this.#boxes.get(actor);
    if (box === undefined) return;
    if (isCall) box.isCalled = false;
    if (!box.isDirty || actor.isOver) return;
    box.isDirty = false;
    const { host, log } = this.#run;
    const at = log.now();
    if (!box.readsInSteps) {
      const { mailbox, messages, dropped } = takeAll(box.mailbox, at);
      box.mailbox = mailbox;
      box.read = messages;
      this.#tellDropped(dropped, actor.path);
      for (const message of messages) host.deliver(actor, { type: 'message', at, message });
      this.#letIn(box);
      return;
    }
    const { mailbox, dropped } = withoutExpired(box.mailbox, at);
    box.mailbox = mailbox;
    this.#tellDropped(dropped, actor.path);
    const before = box.handed.length;
    box.handed = messagesIn(mailbox);
    if (before > 0 || box.handed.length > 0) host.deliver(actor, { type: 'message', at, inbox: box.handed });
  }

  /** An agent observes: it reads what it was handed. */
  observed(actor: Actor): void {
    const box = this.#boxes.get(actor);
    if (box === undefined || box.handed.length === 0) return;
    box.read = box.handed;
    this.#questions?.read(box.handed);
    box.mailbox = box.isDirty ? withoutThose(box.mailbox, new Set(box.handed)) : emptyMailbox;
    box.handed = [];
    this.#letIn(box);
  }

  heard(body: EventBody): void {
    if (tellsOfSuccession(body)) (this.#successions ??= new Successions()).heard(body);
  }

  /** Whoever sits at `path` was told something: perhaps nobody is left there who could answer. */
  lookAgain(path: string): void {
    this.#questions?.lookAgain(path);
  }

  /** An actor is over: what it has not read nobody will, but one who is started in its place. */
  gone(actor: Actor, isItsEnd: boolean): void {
    for (const left of this.#successions?.withoutSupervisor(actor) ?? []) this.#close(left);
    const reason = isMember(actor)
      ? (this.#successions ??= new Successions()).gone(actor, isItsEnd)
      : 'unread';
    if (reason !== undefined) this.#close({ actor, reason });
    else this.#questions?.left(actor.path, messagesIn(this.#boxes.get(actor)?.mailbox ?? emptyMailbox));
  }

  /** A supervisor knows of the end of its member at `path`, and has said whether another follows. */
  judged(path: unknown): void {
    const left = typeof path === 'string' ? this.#successions?.judged(path) : undefined;
    if (left !== undefined) this.#close(left);
  }

  /** An actor begins: the mail of whoever it follows is its own. */
  began(actor: Actor): void {
    const before = this.#successions?.followedBy(actor);
    if (before === undefined) return;
    this.#questions?.moved(before.path, actor.path);
    const old = this.#boxes.get(before);
    if (old === undefined) return;
    this.#boxes.delete(before);
    const box = new Box(actor, old);
    this.#boxes.set(actor, box);
    if (box.mailbox.size > 0) this.#hasMail(box);
  }

  #close({ actor, reason }: Left): void {
    this.#questions?.left(actor.path);
    const box = this.#boxes.get(actor);
    if (box === undefined) return;
    this.#boxes.delete(actor);
    const { messages, dropped } = takeAll(box.mailbox, this.#run.log.now());
    this.#tellDropped(dropped, actor.path);
    for (const message of messages) this.tellDrop(message, actor.path, reason);
    for (const go of box.line.splice(0)) go(false);
  }

  /** Says that nobody gets a message. */
  tellDrop({ from, text, id }: Message, to: string, reason: DropReason, count?: number): void {
    const rest = { ...(id === undefined ? {} : { id }), ...(count === undefined ? {} : { count }) };
    this.#run.log.write({ type: 'message.dropped', to, from, text, reason, ...rest }, this.#run.root);
  }

  #deliver(message: Message, to: string, actor: Actor | undefined): boolean {
    this.note(message, actor?.path ?? to);
    // An answer is for the work that asked, which is gone with whoever did it.
    if (actor === undefined || actor.isCall || (actor.isOver && message.kind === 'answer')) {
      this.tellDrop(message, to, 'nobody');
      return false;
    }
    if (message.kind === 'answer') {
      this.#run.log.write(sentEvent(message, actor.path), this.#run.root);
      this.questions.answered(message, message.sender);
      return true;
    }
    const box = this.#boxes.get(actor) ?? new Box(actor);
    this.#boxes.set(actor, box);
    const before = box.mailbox;
    const { mailbox, put: what, dropped } = put(before, message, box.limits, this.#run.log.now());
    box.mailbox = mailbox;
    const isIn = what === 'taken' && !dropped.some((each) => each.message === message);
    if (isIn) this.#run.log.write(sentEvent(message, actor.path), this.#run.root);
    else if (what !== 'taken') this.tellDrop(message, actor.path, 'full');
    this.#tellDropped(dropped, actor.path);
    if (mailbox !== before) this.#hasMail(box);
    if (isIn && message.wantsReply === true) this.questions.asked(message, actor.path);
    return what === 'taken';
  }

  /** An agent at work reads at its next step; one that sleeps, and a team, are called. */
  #hasMail(box: Box): void {
    const { actor } = box;
    box.isDirty = true;
    if (actor.isOver || box.isCalled || (box.readsInSteps && actor.phase !== 'waiting')) return;
    box.isCalled = true;
    this.#run.enqueue({ kind: 'mail', actor });
  }

  #isShut({ limits: { overflow }, isFull, line, mailbox }: Box, isInTurn: boolean): boolean {
    if (overflow !== 'reject' && overflow !== 'block') return false;
    if (!isInTurn && line.length > 0) return true;
    // What is of no use any more makes room.
    return isFull && (mailbox.expiresAt ?? Infinity) > this.#run.log.now();
  }

  #refuse(message: Message, box: Box): false {
    box.refused += 1;
    if (box.refused === 1) this.tellDrop(message, box.actor.path, 'full');
    else if (box.refused % TELL_EACH === 1) this.tellDrop(message, box.actor.path, 'full', TELL_EACH);
    return false;
  }

  /** There is room: who waited for it comes first, once the machine has come to rest. */
  #letIn(box: Box): void {
    if (box.line.length === 0) return;
    nextTurn(() => {
      while (!box.actor.isOver && !box.isFull) {
        const go = box.line.shift();
        if (go === undefined) return;
        go(true);
      }
    });
  }

  #tellDropped(dropped: readonly Dropped[], path: string): void {
    for (const { message, reason } of dropped) {
      this.tellDrop(message, path, reason);
      if (message.wantsReply === true) this.questions.lost(message, path);
    }
  }
}
