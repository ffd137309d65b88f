import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { DropReason, Message, MessageLimits, Messenger } from '../../contracts/messages/message.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { Dropped } from '../../machines/messages/mailbox.ts';
import {
  emptyMailbox,
  messagesIn,
  putMessage,
  takeAll,
  withoutExpired,
  withoutThose,
} from '../../machines/messages/mailbox.ts';
import { messageLimits } from '../../machines/messages/message-rules.ts';
import type { Actor, Job } from '../actors/actor.ts';
import type { Host } from '../turn/driven-host.ts';
import { nextTurn } from '../run/pacer.ts';
import type { ArrivalRecorder } from '../journal/write/journal-port.ts';
import { MailboxState } from './mailbox-state.ts';
import type { TalkingRun, TalkingWork } from './messenger.ts';
import { EffectMessenger } from './messenger.ts';
import type { Mail } from './mail.ts';
import { Numbering } from './numbering.ts';
import { Questions } from './questions.ts';
import { resolveName } from './address-book.ts';
import { sentEvent } from './sent-event.ts';
import type { Left } from './restarted-addresses.ts';
import { isMember, RestartedAddresses, tellsOfSuccession } from './restarted-addresses.ts';
import { Talk } from './talk.ts';
import { Topics } from './topics.ts';

/** After the first refusal of a mailbox one event reports this many, so that a flood does not fill the log instead. */
const REFUSALS_PER_EVENT = 1000;

/** The calls that the mail of a run needs of it. */
export interface MailedRun extends TalkingRun {
  readonly host: Pick<Host, 'deliver'>;
  readonly journal: ArrivalRecorder;
  readonly root: Actor;
  readonly isOver: boolean;
  readonly actors: TalkingRun['actors'] & { at(path: string): Actor | undefined };
  enqueue(job: Job): void;
}

/**
 * Delivers the messages of a run. Owns the mailboxes and the fate of undeliverable messages.
 *
 * I1 An accepted message is read once, or dropped with an event; a refused one stays with its sender.
 * I2 An agent is handed its mail before any other envelope: a step starts with everything that came before it.
 * I3 The sender of an agent's message is set by the runtime only.
 */
export class MailRoom implements Mail {
  readonly #run: MailedRun;
  readonly #limits: MessageLimits | undefined;
  readonly #boxes = new SmallMap<Actor, MailboxState>();
  // Created on demand, as most waiting agents never get a message.
  #questions: Questions | undefined;
  #topics: Topics | undefined;
  #talk: Talk | undefined;
  #successions: RestartedAddresses | undefined;
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

  /** Sends a message from outside to the agent at `path`; false if there is none, or its mailbox is full. */
  send(message: Message, path: string = this.#run.root.path): boolean {
    return this.carry(this.#numbers.fromOutside(message), path);
  }

  /** Like `send`, waiting for room if the mailbox blocks. */
  sendWhenRoom(message: Message, path: string = this.#run.root.path): Promise<boolean> {
    return this.carryWhenRoom(this.#numbers.fromOutside(message), path);
  }

  /** Records a message and delivers it. A full mailbox refuses it before it is recorded. */
  carry(given: Message, path: string, isInTurn = false): boolean {
    const { journal, isOver, actors } = this.#run;
    // On record with the message, as a replay may be without its sender.
    const message = actors.at(given.sender ?? '')?.origins.mark(given) ?? given;
    const actor = this.actorAt(path);
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

  /** Like `carry`; if the mailbox blocks, in turn with other waiting senders. */
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

  /** A messenger for the work of an effect. */
  messengerFor(work: TalkingWork): Messenger {
    return new EffectMessenger(work, this, this.#run);
  }

  /** The mailbox at `path`, if senders to it have to wait. */
  #blocking(path: string): MailboxState | undefined {
    const actor = this.actorAt(path);
    const box = actor && this.#boxes.get(actor);
    return box?.limits.overflow === 'block' && this.#isShut(box, false) ? box : undefined;
  }

  /** Delivers a recorded message; false, with an event, if there is no receiver or no room. */
  post(message: Message, path: string): boolean {
    return this.#deliver(message, path, this.actorAt(path));
  }

  /** Delivers a machine's message to the actor that it names. */
  postFrom(from: Actor, to: string, { text, parts, data, kind, correlation }: Message): void {
    const id = this.#numbers.idFor(from.path);
    const rest = withoutUndefined({ parts, data, kind, correlation });
    const message: Message = { from: from.agent, sender: from.path, text, ...rest, id };
    this.#deliver(from.origins.mark(message), to, this.resolve(from, to));
  }

  resolve(from: Actor, name: string): Actor | undefined {
    return resolveName(from, name, (path) => this.actorAt(path), this.#successions?.near(from) ?? []);
  }

  /** The actor at an address or its successor, or its predecessor while a restart is possible. */
  actorAt(path: string): Actor | undefined {
    if (this.#run.isOver) return undefined;
    const last = this.#successions?.leadsTo(path) ?? path;
    return this.#run.actors.at(last) ?? this.#successions?.at(last);
  }

  /** Registers a message that is recorded elsewhere in the run. */
  note(message: Message, path: string): void {
    this.talk.note(message, path);
    this.#numbers.note(message);
  }

  /** Messages that an agent read last. */
  readBy(actor: Actor): readonly Message[] {
    return this.#boxes.get(actor)?.read ?? [];
  }

  /** Hands an actor its new messages, before another envelope or by a job of its own. */
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
      this.#recordDropped(dropped, actor.path);
      for (const message of messages) {
        actor.origins.add(message.origins);
        host.deliver(actor, { type: 'message', at, message });
      }
      this.#admitWaiting(box);
      return;
    }
    const { mailbox, dropped } = withoutExpired(box.mailbox, at);
    box.mailbox = mailbox;
    this.#recordDropped(dropped, actor.path);
    const before = box.handed.length;
    box.handed = messagesIn(mailbox);
    if (before > 0 || box.handed.length > 0) host.deliver(actor, { type: 'message', at, inbox: box.handed });
  }

  /** Marks the handed messages as read, as the agent observes. */
  observed(actor: Actor): void {
    const box = this.#boxes.get(actor);
    if (box === undefined || box.handed.length === 0) return;
    box.read = box.handed;
    for (const { origins } of box.handed) actor.origins.add(origins);
    this.#questions?.read(box.handed);
    box.mailbox = box.isDirty ? withoutThose(box.mailbox, new Set(box.handed)) : emptyMailbox;
    box.handed = [];
    this.#admitWaiting(box);
  }

  heard(body: EventBody): void {
    if (tellsOfSuccession(body)) (this.#successions ??= new RestartedAddresses()).heard(body);
  }

  /** Checks questions to `path` again, as the agent may no longer be able to answer. */
  lookAgain(path: string): void {
    this.#questions?.recheck(path);
  }

  /** Closes the mailbox of an actor that is over, unless it may be restarted. */
  gone(actor: Actor, isItsEnd: boolean): void {
    for (const left of this.#successions?.withoutSupervisor(actor) ?? []) this.#close(left);
    const reason = isMember(actor)
      ? (this.#successions ??= new RestartedAddresses()).gone(actor, isItsEnd)
      : 'unread';
    if (reason !== undefined) this.#close({ actor, reason });
    else this.#questions?.left(actor.path, messagesIn(this.#boxes.get(actor)?.mailbox ?? emptyMailbox));
  }

  /** Closes the mailbox of a member whose supervisor has handled its end without a restart. */
  judged(path: unknown): void {
    const left = typeof path === 'string' ? this.#successions?.judged(path) : undefined;
    if (left !== undefined) this.#close(left);
  }

  /** Moves the mailbox of a restarted actor to its successor. */
  began(actor: Actor): void {
    const before = this.#successions?.followedBy(actor);
    if (before === undefined) return;
    this.#questions?.moved(before.path, actor.path);
    const old = this.#boxes.get(before);
    if (old === undefined) return;
    this.#boxes.delete(before);
    const box = new MailboxState(actor, old);
    this.#boxes.set(actor, box);
    if (box.mailbox.size > 0) this.#hasMail(box);
  }

  #close({ actor, reason }: Left): void {
    this.#questions?.left(actor.path);
    const box = this.#boxes.get(actor);
    if (box === undefined) return;
    this.#boxes.delete(actor);
    const { messages, dropped } = takeAll(box.mailbox, this.#run.log.now());
    this.#recordDropped(dropped, actor.path);
    for (const message of messages) this.recordDrop(message, actor.path, reason);
    for (const go of box.line.splice(0)) go(false);
  }

  /** Records that a message is undeliverable. */
  recordDrop({ from, text, id }: Message, to: string, reason: DropReason, count?: number): void {
    const rest = withoutUndefined({ id, count });
    this.#run.log.write({ type: 'message.dropped', to, from, text, reason, ...rest }, this.#run.root);
  }

  #deliver(message: Message, to: string, actor: Actor | undefined): boolean {
    this.note(message, actor?.path ?? to);
    // An answer is for the work that asked, which is gone with its actor.
    if (actor === undefined || actor.isCall || (actor.isOver && message.kind === 'answer')) {
      this.recordDrop(message, to, 'nobody');
      return false;
    }
    if (message.kind === 'answer') {
      this.#run.log.write(sentEvent(message, actor.path), this.#run.root);
      actor.origins.add(message.origins);
      this.questions.answered(message, message.sender);
      return true;
    }
    const box = this.#boxes.get(actor) ?? new MailboxState(actor);
    this.#boxes.set(actor, box);
    const before = box.mailbox;
    const { mailbox, put: what, dropped } = putMessage(before, message, box.limits, this.#run.log.now());
    box.mailbox = mailbox;
    const isIn = what === 'taken' && !dropped.some((each) => each.message === message);
    if (isIn) this.#run.log.write(sentEvent(message, actor.path), this.#run.root);
    else if (what !== 'taken') this.recordDrop(message, actor.path, 'full');
    this.#recordDropped(dropped, actor.path);
    if (mailbox !== before) this.#hasMail(box);
    if (isIn && message.wantsReply === true) this.questions.asked(message, actor.path);
    return what === 'taken';
  }

  /** A working agent reads at its next step; an idle one and a team are woken by a job. */
  #hasMail(box: MailboxState): void {
    const { actor } = box;
    box.isDirty = true;
    if (actor.isOver || box.isCalled || (box.readsInSteps && actor.phase !== 'waiting')) return;
    box.isCalled = true;
    this.#run.enqueue({ kind: 'mail', actor });
  }

  #isShut({ limits: { overflow }, isFull, line, mailbox }: MailboxState, isInTurn: boolean): boolean {
    if (overflow !== 'reject' && overflow !== 'block') return false;
    if (!isInTurn && line.length > 0) return true;
    // Expired messages make room.
    return isFull && (mailbox.expiresAt ?? Infinity) > this.#run.log.now();
  }

  #refuse(message: Message, box: MailboxState): false {
    box.refused += 1;
    if (box.refused === 1) this.recordDrop(message, box.actor.path, 'full');
    else if (box.refused % REFUSALS_PER_EVENT === 1)
      this.recordDrop(message, box.actor.path, 'full', REFUSALS_PER_EVENT);
    return false;
  }

  /** Lets waiting senders in, once the machine is at rest. */
  #admitWaiting(box: MailboxState): void {
    if (box.line.length === 0) return;
    nextTurn(() => {
      while (!box.actor.isOver && !box.isFull) {
        const go = box.line.shift();
        if (go === undefined) return;
        go(true);
      }
    });
  }

  #recordDropped(dropped: readonly Dropped[], path: string): void {
    for (const { message, reason } of dropped) {
      this.recordDrop(message, path, reason);
      if (message.wantsReply === true) this.questions.lost(message, path);
    }
  }
}
