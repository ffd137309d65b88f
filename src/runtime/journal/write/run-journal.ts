import type { Desk } from '../../../actors/desk.ts';
import { canonical } from '../../../base/json/canonical.ts';
import type { TroupeError } from '../../../contracts/errors/error.ts';
import { isTroupeError } from '../../../contracts/errors/error.ts';
import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { EventBody, RuntimeEvent } from '../../../contracts/events/event.ts';
import type { StoredStatus } from '../../../contracts/journals/journal.ts';
import type {
  Arrival,
  Began,
  BudgetDrawn,
  Happened,
  JournalRecord,
} from '../../../contracts/journals/journal-record.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { AdmittedEvent } from '../../log/event-log.ts';
import type { Speaker } from '../../log/lazy-log.ts';
import type { Actor } from '../../actors/actor.ts';
import type { EffectAnswer } from '../../effects/effect-under-way.ts';
import { nextTurn } from '../../run/pacer.ts';
import { whenWritten } from './when-written.ts';
import type { Ahead } from '../replay/ahead.ts';
import { awaitsEnd } from '../replay/awaits-end.ts';
import { CallKeys } from './call-keys.ts';
import { DecidedSteps } from './decided-steps.ts';
import { DrawnBudgets } from './drawn-budgets.ts';
import { JournalReplay } from '../replay/journal-replay.ts';
import type { KeptRecord } from '../replay/derived-events.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { GoingOn, JournalPlan } from './journal-plan.ts';
import type { RecordSink } from './journal-writer.ts';
import { LastWrite } from './last-write.ts';
import { JournalClock } from './journal-clock.ts';
import { OpenAsks } from './open-asks.ts';
import { MemoryWrites } from './memory-writes.ts';
import { fromHand, recordedAnswer } from './recorded-answer.ts';
import type { Awaited, PlacedChild, JournalPort, WantedChild } from './journal-port.ts';
import { Outlet } from './outlet.ts';
import { reopen } from '../replay/reopen.ts';
import { storeSilent, storeUnopened } from './store-silent.ts';
import { nameOf, Scope, scopeOf } from './scope.ts';

/**
 * The journal of one running run: records every arrival and event, and replays what is recorded.
 *
 * I1 Everything inside a scope follows from its records alone: its time is that of the last arrival, and nothing else from
 * outside is read.
 * I2 A record keeps its position: a replay applies it after the same jobs and events.
 * I3 Nothing is published to observers or returned as a result before it is written.
 */
export class RunJournal implements JournalPort {
  readonly keeps = true;
  readonly keepsSent: boolean;
  readonly root: Scope;
  readonly memories: MemoryWrites;
  readonly #run: JournaledRun;
  readonly #journalClock: JournalClock;
  readonly again: JournalReplay;
  readonly budgets = new DrawnBudgets();
  readonly asks = new OpenAsks();
  readonly #outlet: Outlet;
  /** Of the event being written; undefined if it is recorded already. */
  #recording: { readonly scope: Scope; readonly tick: number | undefined } | undefined;
  readonly keys: CallKeys;
  readonly #decided = new DecidedSteps(() => this.flush());
  /** Settles when the lease is released; undefined while there is none. */
  released: Promise<void> | undefined;
  readonly lastWrite: LastWrite;
  /** Number of children that each effect has run. */
  readonly #engaged = new Map<string, number>();
  #hasStepEnded = false;
  /** True if the records that it replays are those of the run that it was forked from. */
  #isFork = false;
  /** The store failed, or another process has the run. */
  lost: TroupeError | undefined;

  constructor({ path, run, clock, redact, reading, keepsSent = true }: JournalPlan) {
    const root = (this.root = new Scope(path, true));
    const journalClock = new JournalClock(clock);
    this.#run = run;
    this.keepsSent = keepsSent;
    this.keys = new CallKeys(redact);
    this.#journalClock = journalClock;
    this.lastWrite = new LastWrite(clock, (why) => {
      this.failed((this.#outlet.isOpen ? storeSilent : storeUnopened)(run.runId, why));
    });
    this.again = new JournalReplay({
      root,
      clock: journalClock,
      run,
      memories: (this.memories = new MemoryWrites(this, run, journalClock)),
      budgets: this.budgets,
      job: (scope, work) => {
        this.job(scope, true, work);
      },
      onAhead: () => {
        reading?.onEnd?.();
        run.log.repeated = { from: this.#isFork ? 1 : 0, to: run.log.events.length };
        this.committed(run.log.events.length);
      },
      onRead: reading?.onRead,
    });
    this.#outlet = new Outlet(run, reading !== undefined, () => void this.flush());
  }

  /** Starts writing: `first`, then the records buffered so far, then new ones. */
  write(writer: RecordSink, first: readonly JournalRecord[] = []): void {
    this.#outlet.open(writer, first);
  }

  begins(): number {
    return this.#journalClock.stamp(this.root);
  }

  get status(): StoredStatus {
    return this.#run.ending ?? this.asks.status;
  }
  get dueAt(): number | undefined {
    return this.asks.dueAt;
  }
  now(): number {
    return this.#journalClock.now;
  }

  nextAt(): number {
    const { inside, republishing } = this.#journalClock;
    if (inside !== undefined && republishing === undefined) this.#meet(inside);
    return this.now();
  }

  scopeAt(path: string): Scope {
    const scope = new Scope(path, false);
    scope.now = this.#journalClock.inside?.now ?? this.#journalClock.latest;
    return scope;
  }

  job(scope: Scope, counts: boolean, work: () => void): void {
    if (scope.rerun === undefined && scope.now < this.#journalClock.latest)
      this.arrive(scope, { type: 'time' });
    if (counts) scope.tick += 1;
    this.#journalClock.within(scope, () => {
      work();
      this.again.catchUp(scope);
    });
    if (counts) scope.tick += 1;
    this.again.catchUp(scope);
    this.#journalClock.runDeferred();
  }

  outside<T>(work: () => T): T {
    return this.#journalClock.within(undefined, work);
  }

  aside(work: () => void): void {
    this.#journalClock.aside(work);
  }

  /** Stops an actor: within its own scope directly, otherwise as an arrival in that scope. */
  stop({ scope }: Actor, reason: string, work: () => void): void {
    if (scope === this.#journalClock.inside) work();
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
    const { republishing, inside } = this.#journalClock;
    if (republishing !== undefined)
      return republishing.isInLog ? undefined : { body, at: republishing.at, isOnRecord: true };
    if (inside === undefined) {
      const scope = scopeOf(speaker) ?? this.root;
      const at = this.#journalClock.stamp(scope, read);
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
      // Stripped of the common fields it is still an event.
      event: event as Happened['event'],
    });
  }

  arrive(scope: Scope | undefined, arrival: Arrival): number {
    const into = scope ?? this.root;
    const { tick } = into;
    const at = this.#journalClock.stamp(into);
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

  runs(key: string, isRunning: boolean): void {
    this.asks.runs(key, isRunning);
  }

  waits(key: string, awaited: Awaited, isWaiting: boolean): void {
    this.asks.waits(key, awaited, isWaiting);
  }

  tookLetter(id: string): void {
    this.#outlet.take(id);
  }

  drawn(
    { path, scope }: Pick<Actor, 'path' | 'scope'>,
    { drawn: used }: { readonly drawn: BudgetDrawn },
    key?: string,
  ): void {
    if (this.#journalClock.republishing !== undefined || scope.rerun !== undefined) return;
    const by = key === undefined ? {} : { key: this.#keyInRun(key) };
    this.arrive(scope, { type: 'drawn', path, used, ...by });
  }

  holds(entry: Actor, ask: Ask, epoch: number): boolean {
    if (entry.scope.rerun === undefined) return false;
    this.again.defer(entry, ask, epoch);
    return true;
  }

  /** Starts an effect; one that acts on the world, once everything that led to it is committed. */
  begin(entry: Actor, ask: Ask, isWanted: () => boolean, go: () => void): void {
    const start = (): void => {
      // It may have been cancelled during the commit, and an effect without a commit must not start.
      if (this.lost !== undefined || !isWanted()) return;
      this.asks.open(ask);
      this.outside(go);
    };
    whenWritten(this.#decided.before(entry, ask), start);
    // A finished step is committed together with the first effect of the next.
    if (this.#hasStepEnded) void this.flush();
  }

  knowsChild(key: string): boolean {
    return this.again.childOf(key, this.#engaged.get(key) ?? 0) !== undefined;
  }

  place({ key, scope, agent, input }: WantedChild, freePath: () => string): PlacedChild {
    const index = this.#engaged.get(key) ?? 0;
    this.#engaged.set(key, index + 1);
    const before = this.again.childOf(key, index);
    if (before?.agent === agent && canonical(before.input) === canonical(input))
      return { path: before.path, input: before.input, isKnown: true };
    const path = freePath();
    this.arrive(scope, { type: 'engaged', key: this.#keyInRun(key), index, path, agent, input });
    return { path, input, isKnown: false };
  }

  reopen(entry: Actor, ask: Ask, desk: Desk): Promise<void> | undefined {
    return reopen(entry, ask, desk, this.#run.log);
  }

  engage({ scope }: Actor, start: () => void): void {
    try {
      this.again.engage(scope, start);
    } catch (thrown) {
      // The effect that asked for the child would take this for a failure of the child.
      if (isTroupeError(thrown)) this.failed(thrown);
      throw thrown;
    }
  }

  rerun(records: readonly KeptRecord[], begin: () => void, going?: GoingOn): void {
    this.keys.follow(records[0]);
    this.#isFork = going?.isFork === true;
    const answer = fromHand(going?.inHand, this.#run, this);
    this.#journalClock.duringReplay(() => {
      this.again.replay(this.root, records, begin, { before: going?.before, isFork: going?.isFork, answer });
    });
  }

  /** Prepares a replay that waits for records, of which `began` is the first; `proceed` of {@link again} gives them to it. */
  follow(began: Began, ahead: Ahead, begin: () => void): void {
    this.keys.follow(began);
    this.#journalClock.stayInPast();
    this.again.follow(ahead, begin);
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

  /** Called after the last event: commits the rest, then publishes. */
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

  /** Called by the writer: the store failed, or another process has the run. */
  failed(error: TroupeError): void {
    this.lost ??= error;
    this.#outlet.close();
    this.outside(() => {
      this.#run.lose(error);
    });
    this.lastWrite.lose();
  }

  /** Events outside the scope may have happened during the turn: no event gets an earlier time. */
  #meet(inside: Scope): void {
    this.again.catchUp(inside);
    if (inside.rerun === undefined && inside.now < this.#journalClock.latest)
      this.arrive(inside, { type: 'time' });
  }

  #keyInRun(key: string): string {
    return keyInRun({ key, runId: this.#run.runId });
  }

  #push(record: JournalRecord): void {
    this.#outlet.push(record);
    if (this.#journalClock.inside === undefined) this.#outlet.wantFlush();
  }
}
