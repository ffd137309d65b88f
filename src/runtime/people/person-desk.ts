import { withoutUndefined } from '../../base/json/without-undefined.ts';
import type { Json } from '../../base/json/json.ts';
import type { Clock } from '../../base/clock.ts';
import { errorData, toError, TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import { shortestExpiry } from '../../contracts/people/approval-terms.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { EXPIRED, NOBODY_THERE } from '../../contracts/people/request.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';
import type { JournalPort } from '../journal/write/journal-port.ts';
import { PersonTime } from './person-time.ts';
import { forbiddenTo, misfitOf, oneOfSeveral, parseApproval, saidEvent } from './person-words.ts';
import type { EventPlace, PersonAnswer } from './request-book.ts';
import { announcementOf, RequestBook } from './request-book.ts';
import type { IncomingAnswer, Requester, PersonRequest } from './person-request.ts';

/** The calls that requests to people need of their run. */
export interface PeopledRun {
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'write' | 'now'>;
  readonly journal: Pick<JournalPort, 'outside' | 'waits'>;
  readonly root: Actor;
  readonly actors: { at(path: string): Actor | undefined };
  /** The reason for aborting the run; undefined while it is not aborted. */
  readonly abortedFor: string | undefined;
}

interface Waiter {
  readonly request: OpenRequest;
  readonly wanting: Requester;
  /** Aborted when the request is answered or withdrawn. */
  readonly asking: AbortController;
  readonly resolve: (said: PersonAnswer) => void;
  readonly reject: (thrown: unknown) => void;
  timer?: unknown;
  forget?: () => void;
}

/**
 * Holds the requests to people of the whole run, for a `Person` given with the run, the holder of the handle, or a letter. If there is none
 * of them, questions fail and calls are denied: nothing waits for an answer that cannot come.
 *
 * I1 A request is announced once and answered once, however often the run is resumed.
 * I2 An answer is recorded before it has any effect.
 */
export class PersonDesk {
  readonly #run: PeopledRun;
  readonly #options: Pick<RunOptions, 'person' | 'requests'>;
  readonly #isAttended: boolean;
  /** The time that goes by while requests are open. */
  readonly time: PersonTime;
  readonly #book: RequestBook;
  readonly #waiters = new SmallMap<string, Waiter>();
  /** Answers to announced requests that are not awaited again yet, or that are being validated. */
  readonly #incoming = new SmallMap<string, IncomingAnswer>();

  constructor(run: PeopledRun, options: Pick<RunOptions, 'person' | 'requests'>, isAttended: boolean) {
    this.#run = run;
    this.#options = options;
    this.#isAttended = isAttended;
    this.time = new PersonTime(run.clock);
    this.#book = new RequestBook(this.time);
  }

  /** Open requests, oldest first. */
  get requests(): readonly OpenRequest[] {
    return this.#book.open.filter(({ id }) => !this.#incoming.has(id));
  }

  /** Applies a recorded event. */
  heard(body: EventBody, place: EventPlace): void {
    this.#book.heard(body, place);
  }

  /** The recorded answer to a request. */
  saidTo(id: string): PersonAnswer | undefined {
    return this.#book.answerTo(id);
  }

  /** Requests an answer, unless it is recorded; rejects if nobody can give one (any more). */
  want(wish: PersonRequest, wanting: Requester): Promise<PersonAnswer> {
    const { id } = wish;
    const before = this.#book.answerTo(id);
    if (before !== undefined) return Promise.resolve(before);
    if (wanting.abort.isAborted) return Promise.reject(personGone());
    const expireAfterMs = shortestExpiry(
      wish.kind === 'question' ? { expireAfterMs: wanting.expireAfterMs } : wish,
      this.#options.requests?.expireAfterMs,
    );
    if (this.#book.at(id) === undefined) {
      const askedAt = this.#run.log.now();
      const expiry = expireAfterMs === undefined ? {} : { expiresAt: askedAt + expireAfterMs };
      this.#write(announcementOf({ ...wish, askedAt, ...expiry }), wanting, askedAt);
    }
    const request = this.#book.at(id);
    if (request === undefined) return Promise.reject(personGone());
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { request, wanting, asking: new AbortController(), resolve, reject };
      this.#waiters.set(id, waiter);
      this.#wait(waiter);
    });
  }

  /** Accepts an answer, or returns the reason for refusing it. */
  settle(id: string, incoming: IncomingAnswer): string | undefined {
    const request = this.#book.at(id);
    if (request === undefined)
      return this.#book.isClosed(id) ? 'it is answered or withdrawn already' : 'nobody asked for that';
    if (this.#incoming.has(id)) return 'it is answered already';
    if (this.#run.abortedFor !== undefined) return NOBODY;
    const misfit = misfitOf(request, incoming.said);
    if (misfit !== undefined) return misfit;
    if (isLate(request, incoming.at ?? this.#run.log.now())) return EXPIRED;
    const forbidden = forbiddenTo(request, incoming.said);
    if (forbidden !== undefined) return forbidden;
    if (this.#counts(request, incoming)) return undefined;
    const waiter = this.#waiters.get(id);
    if (waiter !== undefined) return this.#take(waiter, incoming);
    this.#incoming.set(id, incoming);
    return undefined;
  }

  /** The reason why the person who answers may not approve the call of an open request; undefined if they may. */
  forbids(id: string, said: PersonAnswer): string | undefined {
    const request = this.#book.at(id);
    return request === undefined ? undefined : forbiddenTo(request, said);
  }

  /** Records an approval that is one of several; false if the answer decides. */
  #counts(request: OpenRequest, { said, onTaken }: IncomingAnswer): boolean {
    const by = oneOfSeveral(request, said);
    if (by === undefined || request.kind === 'question') return false;
    const { id, callId, tool, path } = request;
    const speaker = this.#run.actors.at(path) ?? this.#run.root;
    const wanting = this.#waiters.get(id)?.wanting ?? { speaker };
    this.#write({ type: 'tool.approval-given', callId, tool, id, by }, wanting);
    onTaken?.();
    return true;
  }

  /** Finds a request by its id, its call's id, or `path callId`. */
  idOf(meant: string): string | undefined {
    const named = this.requests.find(
      ({ id, path, callId = '' }) => id === meant || callId === meant || `${path} ${callId}` === meant,
    );
    return named?.id;
  }

  /** Id of the oldest question. */
  get oldestQuestion(): string | undefined {
    return this.requests.find(({ kind }) => kind === 'question')?.id;
  }

  /** Withdraws the requests of an effect that is over. */
  over(path: string, step: number, callId: string | undefined): void {
    if (!this.#book.hasOpen) return;
    for (const request of this.#book.open) {
      const isIts = request.callId === callId && (callId !== undefined || request.step === step);
      if (request.path !== path || !isIts) continue;
      const waiter = this.#waiters.get(request.id);
      if (waiter === undefined) this.#withdraw(request, NOBODY);
      else this.#fail(waiter, NOBODY, personGone());
    }
  }

  /** Records that an answer was refused, and whose it was where it says so: the reason may name them. */
  refuse(reason: string, id?: string, said?: PersonAnswer): void {
    const { root } = this.#run;
    const by = said !== undefined && 'isApproved' in said ? said.by : undefined;
    this.#write({ type: 'answer.refused', ...withoutUndefined({ id, by }), reason }, { speaker: root });
  }

  #wait(waiter: Waiter): void {
    const { request, wanting } = waiter;
    const { clock, journal, log } = this.#run;
    journal.waits(wanting.key, request, true);
    waiter.forget = wanting.abort.onAbort(() => {
      this.#fail(waiter, NOBODY, personGone());
    });
    const { expiresAt, id } = request;
    if (expiresAt !== undefined)
      waiter.timer = clock.setTimeout(
        () => {
          this.#expire(waiter);
        },
        Math.max(0, expiresAt - log.now()),
      );
    const incoming = this.#incoming.get(id);
    this.#incoming.delete(id);
    const refused = incoming === undefined ? undefined : this.#take(waiter, incoming);
    if (refused !== undefined) {
      this.refuse(refused, id, incoming?.said);
      incoming?.onTaken?.();
    }
    if (this.#waiters.has(id)) this.#ask(waiter);
  }

  /** Asks the run's `Person`; without one, another party may answer. */
  #ask(waiter: Waiter): void {
    const { request, asking } = waiter;
    const { person } = this.#options;
    if (request.kind === 'question' ? person?.answer === undefined : person?.approve === undefined) {
      if (!this.#isAttended) this.#nobody(waiter);
      return;
    }
    const answer = async (): Promise<PersonAnswer> =>
      request.kind === 'question'
        ? { text: (await person?.answer?.(request.question, asking.signal)) ?? '' }
        : parseApproval(await person?.approve?.(request, asking.signal), person?.by);
    answer().then(
      (said) => {
        if (this.#waiters.has(request.id)) this.#answered(waiter, said);
      },
      (thrown: unknown) => {
        const message =
          request.kind === 'question'
            ? 'Cannot ask a person as they failed'
            : `Cannot run '${request.tool}' as the person who was to approve it failed`;
        const { path, step } = request;
        const error = errorData(thrown, 'agent.threw', {
          message,
          path,
          ...(step === undefined ? {} : { step }),
        });
        this.#fail(waiter, 'the person failed', toError(error), error);
      },
    );
  }

  /** Applies the answer of the run's `Person`; where it is not enough, others may give theirs. */
  #answered(waiter: Waiter, said: PersonAnswer): void {
    const { request } = waiter;
    const forbidden = this.forbids(request.id, said);
    if (forbidden !== undefined) this.refuse(forbidden, request.id, said);
    else if (!this.#counts(this.#book.at(request.id) ?? request, { said })) {
      this.#close(waiter, said);
      return;
    }
    if (!this.#isAttended) this.#nobody(waiter);
  }

  #nobody(waiter: Waiter): void {
    const { request } = waiter;
    if (request.kind !== 'question') {
      const why = request.error === undefined ? '' : `: ${request.error.message}`;
      this.#close(waiter, { isApproved: false, reason: `${NOBODY_THERE}${why}` });
      return;
    }
    const message = `Cannot ask a person as nobody is there to answer: ${JSON.stringify(request.question)}`;
    this.#fail(waiter, 'nobody is there to answer', new TroupeError('tool.failed', message));
  }

  #expire(waiter: Waiter): void {
    const { request } = waiter;
    if (request.kind !== 'question') {
      this.#close(waiter, { isApproved: false, reason: EXPIRED });
      return;
    }
    const message = `Cannot ask a person as ${EXPIRED}: ${JSON.stringify(request.question)}`;
    this.#fail(waiter, EXPIRED, new TroupeError('tool.failed', message));
  }

  /** The reason why the call of an open request cannot be made with these arguments; undefined where it can, or only the call can tell. */
  misfit(id: string, input: Json, by?: Approver): string | undefined {
    const checked = this.#waiters.get(id)?.wanting.check?.(input, by);
    return checked === undefined || isThenable(checked) || checked.ok ? undefined : notFitting(checked);
  }

  /** Applies an answer; returns the reason for refusing it, if that is known at once. */
  #take(waiter: Waiter, incoming: IncomingAnswer): string | undefined {
    const { said, onTaken } = incoming;
    const close = (): undefined => {
      this.#close(waiter, said);
      onTaken?.();
    };
    const { check } = waiter.wanting;
    if (!('isApproved' in said) || said.input === undefined || check === undefined) return close();
    const checked = check(said.input, said.by);
    if (!isThenable(checked)) return checked.ok ? close() : notFitting(checked);
    const { id } = waiter.request;
    this.#incoming.set(id, incoming);
    void checked.then((settled) => {
      this.#incoming.delete(id);
      const isOpen = this.#waiters.has(id);
      if (isOpen && settled.ok) return close();
      this.refuse(settled.ok ? NOBODY : notFitting(settled), id, said);
      return onTaken?.();
    });
    return undefined;
  }

  #close(waiter: Waiter, said: PersonAnswer): void {
    this.#leave(waiter);
    const { request, wanting } = waiter;
    wanting.onSaid?.(said);
    this.#write(saidEvent(request, said), wanting);
    waiter.resolve(said);
  }

  #fail(waiter: Waiter, reason: string, thrown: unknown, error?: ErrorData): void {
    if (!this.#waiters.has(waiter.request.id)) return;
    this.#leave(waiter);
    this.#withdraw(waiter.request, reason, waiter.wanting, error);
    waiter.reject(thrown);
  }

  #leave({ request: { id }, request, wanting, asking, timer, forget }: Waiter): void {
    const { clock, journal } = this.#run;
    this.#waiters.delete(id);
    clock.clearTimeout(timer);
    forget?.();
    asking.abort(personGone());
    journal.waits(wanting.key, request, false);
  }

  #withdraw(request: OpenRequest, reason: string, wanting?: Requester, error?: ErrorData): void {
    const { id, path } = request;
    const speaker = wanting?.speaker ?? this.#run.actors.at(path) ?? this.#run.root;
    const facts = error === undefined ? {} : { error };
    this.#write({ type: 'request.withdrawn', id, reason, ...facts }, wanting ?? { speaker });
    const incoming = this.#incoming.get(id);
    if (incoming === undefined) return;
    this.#incoming.delete(id);
    this.refuse(NOBODY, id, incoming.said);
    incoming.onTaken?.();
  }

  /** Writes an event that comes from outside all machines. */
  #write(
    body: EventBody,
    { speaker, step, phase }: Pick<Requester, 'speaker'> & Partial<Requester>,
    read?: number,
  ): void {
    const { log, journal } = this.#run;
    journal.outside(() => {
      const { path, agent } = speaker;
      const at = read ?? log.now();
      // First, as an observer may answer at once.
      this.#book.heard(body, { at, path, agent, ...(step === undefined ? {} : { step }) });
      log.write(body, speaker, step, phase, at);
    });
  }
}

const NOBODY = 'nobody waits for it any more';

const personGone = (): TroupeError => nobodyWaits('wait for a person');

const isLate = ({ expiresAt = Infinity }: OpenRequest, at: number): boolean => at >= expiresAt;

const notFitting = (checked: Checked<unknown>): string =>
  `its arguments do not fit: ${checked.ok ? '' : issuesText(checked.issues)}`;
