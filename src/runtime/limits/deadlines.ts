import type { Clock } from '../../contracts/clock.ts';
import type { Deadline, StopReason } from '../../contracts/stop.ts';
import { SmallMap } from '../../contracts/small-map.ts';
import { earliestDeadline } from '../../machines/composed-rules.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Actor } from '../actors/actor.ts';
import type { ArrivalRecorder, EndRecorder } from '../journal/write/recorder.ts';

/** What deadlines need of their run: an end that waits is hurried once its time is up. */
export interface TimedRun {
  readonly clock: Clock;
  readonly root: Actor;
  readonly isOver: boolean;
  readonly journal: Pick<ArrivalRecorder, 'arrive'> & Pick<EndRecorder, 'lastWrite'>;
  readonly tearDowns: { hurry(): void };
}

/** The time limit of an actor. */
interface Limit {
  /** The first moment at which its time is up; limits are compared with `>`. */
  readonly dueAt: number;
  readonly reasonAt: (now: number) => StopReason;
}

interface Timed {
  readonly startedAt: number;
  readonly rule: Deadline | undefined;
  /** Undefined while what is on record is replayed. */
  timer: unknown;
}

/**
 * The deadlines of a run's actors: budgets of time, and stop rules that limit it. Owns one timer for each actor that has a limit
 * from its start to its end; an actor without one costs nothing.
 *
 * I1  An actor that is past its deadline is over, whatever is under way; that it is, is on record before it counts.
 * I2  While a scope is replayed none of its deadlines passes: that one did is on record, or it passes afterwards.
 */
export class Deadlines {
  readonly #run: TimedRun;
  readonly #timed = new SmallMap<Actor, Timed>();

  constructor(run: TimedRun) {
    this.#run = run;
  }

  /** An actor starts at `at`: from then on its time counts. */
  begin(actor: Actor, at: number): void {
    const { account, path, definition } = actor;
    if (account?.path === path) account.begin(at);
    const rule = earliestDeadline(definition.rules.stop);
    if (rule === undefined && (account?.path !== path || account.limits.timeMs === undefined)) return;
    const timed: Timed = { startedAt: at, rule, timer: undefined };
    this.#timed.set(actor, timed);
    if (actor.scope.rerun === undefined) this.#arm(actor, timed);
  }

  /** A scope has been replayed: its actors are timed from now on. */
  resume(scope: Scope): void {
    for (const [actor, timed] of this.#timed)
      if (!actor.isOver && actor.scope === scope && timed.timer === undefined) this.#arm(actor, timed);
  }

  /** An actor is over. The root's deadline holds until the last event is out. */
  end(actor: Actor): void {
    if (actor !== this.#run.root) this.#forget(actor);
  }

  /** The run is through. */
  close(): void {
    for (const actor of this.#timed.keys()) this.#forget(actor);
  }

  /** True if the time of the whole run is up. */
  get isPast(): boolean {
    const { root, clock } = this.#run;
    const timed = this.#timed.get(root);
    return timed !== undefined && clock.now() >= limitOf(root, timed).dueAt;
  }

  /** The time that the run may take as a whole, in ms; `Infinity` where nobody says. */
  get wholeMs(): number {
    const { account, path, definition } = this.#run.root;
    const ruleMs = earliestDeadline(definition.rules.stop)?.afterMs ?? Infinity;
    return Math.min(ruleMs, (account?.path === path ? account.limits.timeMs : undefined) ?? Infinity);
  }

  /** Ends an actor whose time is up, at `at`. */
  expire(actor: Actor, reason: StopReason, at: number): void {
    actor.deliver({ type: 'expired', at, reason });
  }

  #arm(actor: Actor, timed: Timed): void {
    const { clock } = this.#run;
    const { dueAt } = limitOf(actor, timed);
    timed.timer = clock.setTimeout(
      () => {
        this.#fire(actor, timed);
      },
      Math.max(0, dueAt - clock.now()),
    );
  }

  #fire(actor: Actor, timed: Timed): void {
    const { clock, root, isOver, tearDowns, journal } = this.#run;
    const { dueAt, reasonAt } = limitOf(actor, timed);
    const now = clock.now();
    // Timers may come early, and clocks be set back.
    if (now < dueAt) {
      this.#arm(actor, timed);
      return;
    }
    if (actor === root) journal.lastWrite.hurry('its time was up');
    if (actor === root && isOver) tearDowns.hurry();
    else if (!actor.isOver) {
      const reason = reasonAt(now);
      this.expire(actor, reason, journal.arrive(actor.scope, { type: 'expired', path: actor.path, reason }));
    }
  }

  #forget(actor: Actor): void {
    const timed = this.#timed.get(actor);
    if (timed === undefined) return;
    this.#timed.delete(actor);
    this.#run.clock.clearTimeout(timed.timer);
  }
}

/** The nearer of the two: the budget's, which may have been restored since the actor started, or the rule's. */
const limitOf = ({ account, path }: Actor, { startedAt, rule }: Timed): Limit => {
  const ruleEndsAt = startedAt + (rule?.afterMs ?? Infinity);
  const endsAt = account?.path === path ? account.endsAt : Infinity;
  return rule === undefined || (account !== undefined && endsAt <= ruleEndsAt)
    ? { dueAt: firstPast(endsAt), reasonAt: (now) => account?.lateAt(now) ?? { kind: 'failed' } }
    : { dueAt: firstPast(ruleEndsAt), reasonAt: () => rule.reason };
};

/** Clocks count whole milliseconds. */
const firstPast = (endsAt: number): number => Math.floor(endsAt) + 1;
