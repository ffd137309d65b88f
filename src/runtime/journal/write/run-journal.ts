import type { Desk } from '../../../actors/desk.ts';
import { canonical } from '../../../contracts/canonical.ts';
import type { TroupeError } from '../../../contracts/error.ts';
import { isTroupeError } from '../../../contracts/error.ts';
import { toJson } from '../../../contracts/json.ts';
import { keyInRun } from '../../../contracts/effect.ts';
import type { EventBody, RuntimeEvent } from '../../../contracts/event.ts';
import type { StoredStatus } from '../../../contracts/journal.ts';
import type { Arrival, BudgetDrawn, Happened, JournalRecord } from '../../../contracts/journal-record.ts';
import type { OpenRequest } from '../../../contracts/request.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { AdmittedEvent } from '../../log/event-log.ts';
import type { Speaker } from '../../log/lazy-log.ts';
import type { Actor } from '../../actors/actor.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import { nextTurn } from '../../run/pacer.ts';
import { afterwards } from './afterwards.ts';
import { awaitsEnd } from '../replay/awaits-end.ts';
import { CallKeys } from './call-keys.ts';
import { DecidedSteps } from './decided-steps.ts';
import { DrawnBudgets } from './drawn-budgets.ts';
import { GoingThrough } from '../replay/going-through.ts';
import type { KeptRecord } from '../replay/followed.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { GoingOn, JournalPlan } from './journal-plan.ts';
import type { RecordSink } from './journal-writer.ts';
import { LastWrite } from './last-write.ts';
import { Moment } from './moment.ts';
import { OpenAsks } from './open-asks.ts';
import { MemoryWrites } from './memory-writes.ts';
import { fromHand, recordedAnswer } from './recorded-answer.ts';
import type { PlacedChild, Recorder, WantedChild } from './recorder.ts';
import { Outlet } from './outlet.ts';
import { reopen } from '../replay/reopen.ts';
import { storeSilent, storeUnopened } from './store-silent.ts';
import { nameOf, Scope, scopeOf } from './scope.ts';

/**
 * The journal of one run under way: records what comes in from outside and every event, and goes through what is recorded.
 *
 * I1  What happens inside a scope follows from its records alone: the time is that of the last arrival, and nothing else
 *     of the outside is looked at.
 * I2  A record stands where it came: whoever goes through the records again meets it after the same jobs and events.
 * I3  Nothing is told to observers, and no result given, that is not written.
 */
export class RunJournal implements Recorder {
  readonly keeps = true;
  readonly keepsSent: boolean;
  readonly root: Scope;
  readonly memories: MemoryWrites;
  readonly #run: JournaledRun;
  readonly #moment: Moment;
  readonly again: GoingThrough;
  readonly budgets = new DrawnBudgets();
  readonly asks = new OpenAsks();
  readonly #outlet: Outlet;
  /** Of the event that is being written; undefined where it is recorded already. */
  #recording: { readonly scope: Scope; readonly tick: number | undefined } | undefined;
  readonly keys: CallKeys;
  readonly #decided = new DecidedSteps(() => this.flush());
  /** Settles when the lease is released; undefined while there is none. */
  released: Promise<void> | undefined;
  readonly lastWrite: LastWrite;
  /** The number of children that each effect has run. */
  readonly #engaged = new Map<string, number>();
  #hasStepEnded = false;
  /** The store failed, or somebody else has the run. */
  #isLost = false;

  constructor({ path, run, clock, redact, reading, keepsSent = true }: JournalPlan) {
    const root = (this.root = new Scope(path, true));
    const moment = new Moment(clock);
    this.#run = run;
    this.keepsSent = keepsSent;
    this.keys = new CallKeys(redact);
    this.#moment = moment;
    this.lastWrite = new LastWrite(clock, (why) => {
      this.failed((this.#outlet.isOpen ? storeSilent : storeUnopened)(run.runId, why));
    });
    this.again = new GoingThrough({
      root,
      moment,
      run,
      memories: (this.memories = new MemoryWrites(this, run, moment)),
      budgets: this.budgets,
      job: (scope, work) => {
        this.job(scope, true, work);
      },
      onAhead: () => {
        reading?.onEnd();
        this.committed(run.log.events.length);
      },
      onPrompted: (prompted) => reading?.onPrompted(prompted),
    });
    this.#outlet = new Outlet(run, reading !== undefined, () => void this.flush());
  }

  /** From now on what is recorded is written; `first` comes first, then what was recorded before. */
  write(writer: RecordSink, first: readonly JournalRecord[] = []): void {
    this.#outlet.open(writer, first);
  }

  begins(): number {
    return this.#moment.stamp(this.root);
  }

  get status(): StoredStatus {
    return this.#run.ending ?? this.asks.status;
  }
  get dueAt(): number | undefined {
    return this.asks.dueAt;
  }
  now(): number {
    return this.#moment.now;
  }

  nextAt(): number {
    const { inside, retelling } = this.#moment;
    if (inside !== undefined && retelling === undefined) this.#meet(inside);
    return this.now();
  }

  scopeAt(path: string): Scope {
    const scope = new Scope(path, false);
    scope.now = this.#moment.inside?.now ?? this.#moment.latest;
    return scope;
  }

  job(scope: Scope, counts: boolean, work: () => void): void {
    if (scope.rerun === undefined && scope.now < this.#moment.latest) this.arrive(scope, { type: 'time' });
    if (counts) scope.tick += 1;
    this.#moment.within(scope, () => {
      work();
      this.again.catchUp(scope);
    });
    if (counts) scope.tick += 1;
    this.again.catchUp(scope);
    this.#moment.left();
  }

  outside<T>(work: () => T): T {
    return this.#moment.within(undefined, work);
  }

  aside(work: () => void): void {
    this.#moment.aside(work);
  }

  /** Stops an actor: of its own accord within its scope, else as something that comes into it. */
  stop({ scope }: Actor, reason: string, work: () => void): void {
    if (scope === this.#moment.inside) work();
    else this.take(scope, { type: 'stopped', reason }, work);
  }

  admit(
    body: EventBody,
    speaker: Speaker,
    step: number | undefined,
    phase: string | undefined,
    read?: number,
  ): AdmittedEvent | undefined {
    this.#recording = undefined;
    const { retelling, inside } = this.#moment;
    if (retelling !== undefined)
      return retelling.isInLog ? undefined : { body, at: retelling.at, isOnRecord: true };
    if (inside === undefined) {
      const scope = scopeOf(speaker) ?? this.root;
      const at = this.#moment.stamp(scope, read);
      this.#recording = { scope, tick: scope.tick };
      return { body, at };
    }
    this.#meet(inside);
    const { rerun } = inside;
    const expected =
      rerun === undefined ? undefined : this.again.expected(inside, rerun, body, speaker, step, phase);
    inside.tick += 1;
    const at = inside.now;
    if (expected !== undefined)
      return inside === this.root ? { body: expected, at, isOnRecord: true } : undefined;
    this.#recording = { scope: inside, tick: undefined };
    return { body, at };
  }

  wrote({ v: _v, runId: _runId, ...event }: RuntimeEvent): void {
    if (this.#recording === undefined) return;
    if (event.type === 'step.ended') this.#hasStepEnded = true;
    const { scope, tick } = this.#recording;
    this.#push({
      kind: 'event',
      ...nameOf(scope),
      ...(tick === undefined ? {} : { tick }),
      // Without what is the same for all of them, it is still one of them.
      event: event as Happened['event'],
    });
  }

  arrive(scope: Scope | undefined, arrival: Arrival): number {
    const into = scope ?? this.root;
    const { tick } = into;
    const at = this.#moment.stamp(into);
    this.#push({ kind: 'arrived', ...nameOf(into), tick, at, arrival });
    return at;
  }

  take(scope: Scope | undefined, arrival: Arrival, work: () => void): void {
    const into = scope ?? this.root;
    this.arrive(into, arrival);
    this.job(into, true, work);
  }

  settled(entry: Actor, key: string, answer: EffectAnswer): number {
    this.asks.close(key);
    return this.arrive(entry.scope, recordedAnswer(this.#keyInRun(key), answer));
  }

  withdrawn(key: string): void {
    this.asks.close(key);
  }

  waits(key: string, request: OpenRequest, isWaiting: boolean): void {
    this.asks.waits(key, request, isWaiting);
  }

  tookLetter(id: string): void {
    this.#outlet.take(id);
  }

  drawn(
    { path, scope }: Pick<Actor, 'path' | 'scope'>,
    { drawn: used }: { readonly drawn: BudgetDrawn },
    key?: string,
  ): void {
    if (this.#moment.retelling !== undefined || scope.rerun !== undefined) return;
    const by = key === undefined ? {} : { key: this.#keyInRun(key) };
    this.arrive(scope, { type: 'drawn', path, used, ...by });
  }

  holds(entry: Actor, ask: Ask, epoch: number): boolean {
    if (entry.scope.rerun === undefined) return false;
    this.again.hold(entry, ask, epoch);
    return true;
  }

  /** Begins an effect: one that acts on the world, once it is written what led to it. */
  begin(entry: Actor, ask: Ask, isWanted: () => boolean, go: () => void): void {
    const start = (): void => {
      // Somebody may have called it off while the store wrote; and what could not be written is not done.
      if (this.#isLost || !isWanted()) return;
      this.asks.open(ask);
      this.outside(go);
    };
    afterwards(this.#decided.before(entry, ask), start);
    // A step that is over is written with what its successor asked first.
    if (this.#hasStepEnded) void this.flush();
  }

  knowsChild(key: string): boolean {
    return this.again.childOf(key, this.#engaged.get(key) ?? 0) !== undefined;
  }

  place({ key, scope, agent, input }: WantedChild, freePath: () => string): PlacedChild {
    const index = this.#engaged.get(key) ?? 0;
    this.#engaged.set(key, index + 1);
    const before = this.again.childOf(key, index);
    const given = toJson(input);
    if (before?.agent === agent && canonical(before.input) === canonical(given))
      return { path: before.path, input: before.input, isKnown: true };
    const path = freePath();
    this.arrive(scope, { type: 'engaged', key: this.#keyInRun(key), index, path, agent, input: given });
    return { path, input, isKnown: false };
  }

  reopen(entry: Actor, ask: Ask, desk: Desk): Promise<void> | undefined {
    return reopen(entry, ask, desk, this.#run.log);
  }

  engage({ scope }: Actor, start: () => void): void {
    try {
      this.again.engage(scope, start);
    } catch (thrown) {
      // Whoever asked for the child would take it for a failure of the child.
      if (isTroupeError(thrown)) this.failed(thrown);
      throw thrown;
    }
  }

  rerun(records: readonly KeptRecord[], begin: () => void, going?: GoingOn): void {
    this.keys.follow(records[0]);
    const answer = fromHand(going?.inHand, this.#run, this);
    this.#moment.past(() => {
      this.again.through(this.root, records, begin, { before: going?.before, isFork: going?.isFork, answer });
    });
  }

  awaitsEnd(close: () => void): boolean {
    return awaitsEnd(this.root, close);
  }

  flush(): void | Promise<void> {
    this.#hasStepEnded = false;
    if (this.#outlet.isOpen) return this.#outlet.flush();
    if (this.root.rerun === undefined) this.committed(this.#run.log.events.length);
    return undefined;
  }

  /** The last event is out: writes what is left, then tells. */
  end(tell: () => void): void {
    this.lastWrite.await(this.flush(), tell);
  }

  committed(events: number): void {
    this.outside(() => {
      this.#run.log.tell(events);
    });
  }

  async leave(reason: TroupeError): Promise<void> {
    while (this.#run.isBusy) await new Promise<void>(nextTurn);
    await this.flush();
    this.failed(reason);
    await this.released;
  }

  /** Told by its writer: the store failed, or somebody else has the run. */
  failed(error: TroupeError): void {
    this.#isLost = true;
    this.#outlet.close();
    this.outside(() => {
      this.#run.lose(error);
    });
    this.lastWrite.lose();
  }

  /** In the midst of a turn something may have happened outside of it: no event is of before that. */
  #meet(inside: Scope): void {
    this.again.catchUp(inside);
    if (inside.rerun === undefined && inside.now < this.#moment.latest) this.arrive(inside, { type: 'time' });
  }

  #keyInRun(key: string): string {
    return keyInRun({ key, runId: this.#run.runId });
  }

  #push(record: JournalRecord): void {
    this.#outlet.push(record);
    if (this.#moment.inside === undefined) this.#outlet.wantFlush();
  }
}
