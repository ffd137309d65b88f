import { withoutUndefined } from '../../base/json/without-undefined.ts';
import { contentText } from '../../contracts/content/part.ts';
import type { RunContent } from '../content/run-content.ts';
import type { Clock } from '../../base/clock.ts';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import { keyInRun } from '../../contracts/runs/effect.ts';
import type { Json } from '../../base/json/json.ts';
import { requireJson } from '../../base/json/odd-value.ts';
import type {
  Answer,
  AskOptions,
  DropReason,
  Message,
  Messenger,
  TellOptions,
} from '../../contracts/messages/message.ts';
import { directionProblem, wakeOf } from '../../machines/messages/message-rules.ts';
import type { Wait } from '../../machines/messages/wait-graph.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';
import type { ArrivalRecorder } from '../journal/write/journal-port.ts';
import type { Party } from '../actors/waits.ts';
import { refusalOf, waits } from '../actors/waits.ts';
import type { Mail } from './mail.ts';
import { reachableAgents, namesFor } from './address-book.ts';
import { messagesBetween } from './said-between.ts';
import { AddressWait } from './address-wait.ts';

const ASK_MS = 60_000;

/** The number of agents that a refusal lists. */
const LISTED = 20;

/** Work that sends messages. */
export interface TalkingWork {
  readonly actor: Actor;
  readonly ask: Ask;
  readonly abort: LazyAbort;
  /** Releases the work's slot while it waits. */
  whileWaiting<T>(answer: Promise<T>): Promise<T>;
}

/** The calls that a messenger needs of its run. */
export interface TalkingRun {
  readonly runId: string;
  readonly clock: Clock;
  readonly content: Pick<RunContent, 'take'>;
  readonly log: Pick<EventLog, 'events' | 'now' | 'write'>;
  readonly journal: Pick<ArrivalRecorder, 'arrive'>;
  readonly actors: { readonly running: Iterable<Actor> };
}

/**
 * Sends messages for the work of one effect.
 *
 * Messages are numbered per call: a call that is repeated after a crash or a failure sends nothing twice.
 */
export class EffectMessenger implements Messenger {
  readonly #setup: TalkingWork;
  readonly #actor: Actor;
  readonly #mail: Mail;
  readonly #run: TalkingRun;
  #count = 0;

  constructor(setup: TalkingWork, mail: Mail, run: TalkingRun) {
    this.#run = run;
    this.#mail = mail;
    this.#setup = setup;
    this.#actor = setup.actor;
  }

  get names(): readonly string[] {
    return namesFor(this.#actor);
  }

  saidWith(other: string): readonly Message[] {
    return messagesBetween(this.#run.log.events.slice(), this.#actor.path, other);
  }

  async tell(to: string, text: string, options: TellOptions = {}): Promise<string> {
    const target = this.#target(to, text);
    const message = this.#message(target, text, options);
    await this.#say(message, target);
    return message.id;
  }

  async ask(to: string, text: string, options: AskOptions = {}): Promise<Answer> {
    const target = this.#target(to, text);
    const message = this.#message(target, text, options, { wantsReply: true });
    const { questions } = this.#mail;
    const wait = { ...this.#waitOn(target, () => questions.isRead(message.id)), kind: 'ask' } as const;
    return this.#waitingFor(wait, message, target, () =>
      this.#setup.whileWaiting(this.#asked(message, target, options, wait)),
    );
  }

  async reply(
    text: string,
    { to, data }: { readonly to?: string | undefined; readonly data?: TellOptions['data'] } = {},
  ): Promise<string> {
    const mail = this.#mail;
    const { agent: from, path: sender } = this.#actor;
    const id = this.#nextId();
    if (mail.talk.wasSent(id)) return id;
    const question = mail.questions.openTo(sender, to);
    const asker = question?.id === undefined ? undefined : mail.questions.askerOf(question.id);
    if (question?.id === undefined || question.sender === undefined || asker === undefined)
      throw this.#refusal(
        'message.refused',
        to ?? 'anybody',
        'nobody waits for that answer (any more): say it instead',
      );
    const { task = question.id, hops = 0 } = question;
    const wake = { correlation: question.id, causation: question.id, task, hops: hops + 1 };
    const content = data === undefined ? {} : { data: this.#plainData(data, to ?? 'its asker') };
    const answer: Message = { from, sender, text, ...content, id, kind: 'answer', ...wake };
    const misfit = await asker.check(answer);
    if (misfit !== undefined)
      throw this.#refusal('message.invalid', question.from, `it does not fit what was asked: ${misfit}`);
    mail.carry(answer, question.sender);
    return id;
  }

  async broadcast(text: string, options: TellOptions = {}): Promise<readonly string[]> {
    const { sponsor } = this.#actor;
    const above = sponsor.kind === 'root' ? undefined : sponsor.parent.principal.path;
    const all = reachableAgents(this.#actor).filter(
      ({ path, isOver }) => !isOver && path !== above && !this.#actor.path.startsWith(`${path}/`),
    );
    return this.#sayTo(all, text, options);
  }

  async publish(topic: string, text: string, options: TellOptions = {}): Promise<readonly string[]> {
    const all = [...this.#run.actors.running].filter(
      (each) => each !== this.#actor && this.#mail.topics.has(each, topic),
    );
    return this.#sayTo(all, text, { priority: 'data', ...options }, { topic });
  }

  subscribe(topic: string, isOn = true): void {
    const { scope, path } = this.#actor;
    this.#run.journal.arrive(scope, { type: 'subscribed', path, topic, isOn });
    this.#mail.topics.set(this.#actor, topic, isOn);
  }

  /** A receiver that refuses the message does not keep it from the others. */
  async #sayTo(
    all: readonly Actor[],
    text: string,
    options: TellOptions,
    facts: Partial<Message> = {},
  ): Promise<readonly string[]> {
    const reached: string[] = [];
    for (const target of all) {
      const message = this.#message(target, text, options, facts);
      try {
        await this.#say(message, target);
        reached.push(target.path);
      } catch (thrown) {
        if (!isTroupeError(thrown)) throw thrown;
      }
    }
    return reached;
  }

  #target(to: string, text: string): Actor {
    const target = this.#mail.resolve(this.#actor, to);
    if (target !== undefined) return target;
    this.#drop({ text }, to, 'nobody');
    const known = reachableAgents(this.#actor).map(({ agent, path }) => `${agent} (${path})`);
    const more = known.length > LISTED ? `, and ${known.length - LISTED} more` : '';
    const advice =
      known.length === 0 ? 'there are no others' : `there are ${known.slice(0, LISTED).join(', ')}${more}`;
    throw this.#refusal('message.undelivered', to, `no agent has that name or address: ${advice}`);
  }

  #nextId(): string {
    const { ask } = this.#setup;
    const work = callIn(ask)?.id ?? keyInRun(ask);
    this.#count += 1;
    return `${this.#actor.path}#${ask.step}.${work}.${this.#count}`;
  }

  #message(
    { path: to }: Actor,
    text: string,
    { parts, data, kind, protocol, priority, ttlMs, correlation }: TellOptions,
    facts: Partial<Message> = {},
  ): Message & { readonly id: string } {
    const { agent: from, path: sender } = this.#actor;
    if (kind === 'answer')
      throw this.#refusal('message.refused', to, "an 'answer' is given by reply(), to a question that waits");
    const id = this.#nextId();
    return {
      from,
      sender,
      ...this.#contentOf(text, parts),
      ...withoutUndefined({
        data: data === undefined ? data : this.#plainData(data, to),
        kind,
        protocol,
        priority,
        expiresAt: ttlMs === undefined ? ttlMs : this.#run.log.now() + ttlMs,
        correlation,
      }),
      task: id,
      hops: 0,
      ...wakeOf(this.#mail.readBy(this.#actor)),
      ...facts,
      id,
    };
  }

  #contentOf(text: string, given: TellOptions['parts'] = []): Pick<Message, 'text' | 'parts'> {
    if (given.length === 0) return { text };
    const parts = this.#run.content.take([{ type: 'text', text }, ...given]);
    return { text: contentText(parts), parts };
  }

  /** Delivers a message once: repeated work has sent it already. */
  async #say(message: Message & { readonly id: string }, target: Actor): Promise<void> {
    const mail = this.#mail;
    if (mail.talk.wasSent(message.id)) return;
    const wrong = directionProblem(message, this.#actor.path, target.path);
    if (wrong !== undefined) {
      this.#drop(message, target.path, 'direction');
      throw this.#refusal('message.refused', target.path, wrong);
    }
    const far = mail.talk.problem(message, target.path);
    if (far !== undefined) {
      this.#drop(message, target.path, far.reason);
      throw this.#refusal('message.refused', target.path, far.why);
    }
    const isTaken = mail.isBlocking(target.path)
      ? await this.#inTurn(message, target)
      : mail.carry(message, target.path);
    if (!isTaken)
      throw this.#refusal(
        'message.undelivered',
        target.path,
        'nobody is there any more, or there is no room',
      );
  }

  #inTurn(message: Message & { readonly id: string }, target: Actor): Promise<boolean> {
    const wait = { ...this.#waitOn(target, () => false), kind: 'slot', what: 'mailbox' } as const;
    const mail = this.#mail;
    return this.#waitingFor(wait, message, target, () =>
      this.#setup.whileWaiting(mail.carryWhenRoom(message, target.path)),
    );
  }

  /** The call waits, and its agent only as far as it needs the call; work that is no call is the agent's own. */
  #waitOn({ path }: Actor, isRead: () => boolean): Pick<Wait<Party>, 'who' | 'on'> {
    const sought = new AddressWait(path, () => this.#mail.actorAt(path), isRead);
    return { who: this.#actor.callOf(this.#setup.ask) ?? this.#actor, on: [sought] };
  }

  /** Waits, unless that would close a cycle: only the work that would close it is refused. */
  async #waitingFor<T>(
    wait: Wait<Party>,
    message: Message & { readonly id: string },
    target: Actor,
    wanted: () => Promise<T>,
  ): Promise<T> {
    // Repeated work may find its answer there.
    const circle = this.#mail.questions.isAnswered(message.id) ? undefined : waits.add(wait);
    if (circle !== undefined) {
      this.#drop(message, target.path, 'deadlock');
      throw refusalOf(circle);
    }
    try {
      return await wanted();
    } finally {
      waits.remove(wait);
    }
  }

  async #asked(
    message: Message & { readonly id: string },
    target: Actor,
    { timeoutMs = ASK_MS, otherwise, check }: AskOptions,
    wait: Wait<Party>,
  ): Promise<Answer> {
    const { clock } = this.#run;
    const { abort } = this.#setup;
    let forget = (): void => undefined;
    try {
      return await new Promise<Answer>((resolve, reject) => {
        const end = this.#mail.questions.wait(message.id, {
          check: ({ from, text, data }) => check?.({ from, text, ...(data === undefined ? {} : { data }) }),
          answered: ({ from, text, data }) => {
            // At once, as the answering agent may need the asker next.
            waits.remove(wait);
            resolve({ from, text, ...(data === undefined ? {} : { data }) });
          },
          left: (path) => {
            reject(this.#refusal('message.undelivered', path, 'it ended without an answer'));
          },
          recheck: () => {
            const circle = waits.circleOf(wait);
            if (circle !== undefined) reject(refusalOf(circle));
          },
        });
        const timer = clock.setTimeout(() => {
          if (otherwise !== undefined) resolve({ from: target.agent, text: otherwise, isDefault: true });
          else
            reject(this.#refusal('message.timeout', target.path, `there is no answer after ${timeoutMs} ms`));
        }, timeoutMs);
        const leave = abort.onAbort(() => {
          reject(this.#refusal('run.aborted', target.path, 'the question was cancelled'));
        });
        forget = () => {
          end();
          leave();
          clock.clearTimeout(timer);
        };
        this.#say(message, target).catch(reject);
      });
    } finally {
      forget();
    }
  }

  #drop(message: Pick<Message, 'text' | 'id'>, to: string, reason: DropReason): void {
    this.#mail.recordDrop({ from: this.#actor.agent, ...message }, to, reason);
  }

  /** The data of a message is recorded as it is. @throws {TroupeError} `message.invalid` */
  #plainData(data: unknown, to: string): Json {
    return requireJson(data, 'data', (problem) => this.#refusal('message.invalid', to, problem));
  }

  #refusal(code: ErrorCode, to: string, why: string): TroupeError {
    const { runId } = this.#run;
    const { path } = this.#actor;
    const message = `Cannot deliver a message of '${path}' to '${to}' as ${why}`;
    return new TroupeError(code, message, { runId, path, details: { from: path, to } });
  }
}
