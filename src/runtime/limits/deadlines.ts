import type { Clock } from '../../base/clock.ts';
import type { Deadline } from '../../contracts/agents/stop-rule.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { earliestDeadline } from '../../machines/stopping/composed-rules.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Actor } from '../actors/actor.ts';
import type { PersonTime } from '../people/person-time.ts';
import type { ArrivalRecorder, EndRecorder } from '../journal/write/journal-port.ts';

/** The calls that deadlines need of their run. */
export interface TimedRun {
  readonly clock: Clock;
  readonly root: Actor;
  readonly isOver: boolean;
  readonly journal: Pick<ArrivalRecorder, 'arrive'> & Pick<EndRecorder, 'lastWrite'>;
  readonly tearDowns: { hurry(): void };
  readonly person: { readonly time: Pick<PersonTime, 'watch'> };
}

/** The time limit of an actor. */
interface Limit {
  /** First moment past the limit; limits are compared with `>`. */
  readonly dueAt: number;
  readonly reasonAt: (now: number) => StopReason;
}

interface Timed {
  readonly startedAt: number;
  readonly rule: Deadline | undefined;
  /** Undefined during a replay. */
  timer: unknown;
  /** Ends the watch for waits, during which the budget's time stands still. */
  readonly forget: () => void;
}

/**
 * The deadlines of a run's actors, from time budgets and stop rules. Owns one timer per actor with a limit; an actor without one costs
 * nothing.
 *
 * I1 An actor past its deadline is over, whatever it is doing; the expiry is recorded before it counts.
 * I2 No deadline of a scope expires during its replay: the expiry is on record, or happens afterwards.
 */
export class Deadlines {
  readonly #run: TimedRun;
  readonly #timed = new SmallMap<Actor, Timed>();

  constructor(run: TimedRun) {
    this.#run = run;
  }

  /** Starts the time of an actor at `at`. */
  begin(actor: Actor, at: number): void {
    const { account, path, definition } = actor;
    if (account?.path === path) account.begin(at);
    const rule = earliestDeadline(definition.rules.stop);
    if (rule === undefined && (account?.path !== path || account.limits.timeMs === undefined)) return;
    const forget = this.#run.person.time.watch(path, () => {
      this.#rearm(actor);
    });
    const timed: Timed = { startedAt: at, rule, timer: undefined, forget };
    this.#timed.set(actor, timed);
    if (actor.scope.rerun === undefined) this.#arm(actor, timed);
  }

  /** Starts the timers of a scope's actors after its replay. */
  resume(scope: Scope): void {
    for (const [actor, timed] of this.#timed)
      if (!actor.isOver && actor.scope === scope && timed.timer === undefined) this.#arm(actor, timed);
  }

  /** Stops the timer of an actor. The root's deadline lasts until the last event is published. */
  end(actor: Actor): void {
    if (actor !== this.#run.root) this.#forget(actor);
  }

  /** Stops all timers. */
  close(): void {
    for (const actor of this.#timed.keys()) this.#forget(actor);
  }

  /** True if the time of the whole run is up. */
  get isPast(): boolean {
    const { root, clock } = this.#run;
    const timed = this.#timed.get(root);
    return timed !== undefined && clock.now() >= limitOf(root, timed).dueAt;
  }

  /** Time limit of the whole run, in ms; `Infinity` if there is none. */
  get wholeMs(): number {
    const { account, path, definition } = this.#run.root;
    const ruleMs = earliestDeadline(definition.rules.stop)?.afterMs ?? Infinity;
    return Math.min(ruleMs, (account?.path === path ? account.limits.timeMs : undefined) ?? Infinity);
  }

  /** Expires an actor at `at`. */
  expire(actor: Actor, reason: StopReason, at: number): void {
    actor.deliver({ type: 'expired', at, reason });
  }

  #rearm(actor: Actor): void {
    const timed = this.#timed.get(actor);
    if (timed === undefined || actor.scope.rerun !== undefined) return;
    this.#run.clock.clearTimeout(timed.timer);
    this.#arm(actor, timed);
  }

  #arm(actor: Actor, timed: Timed): void {
    const { clock } = this.#run;
    const { dueAt } = limitOf(actor, timed);
    timed.timer = undefined;
    if (dueAt === Infinity) return;
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
    // Timers may fire early, and clocks may be set back.
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
    timed.forget();
    this.#run.clock.clearTimeout(timed.timer);
  }
}

/** The earlier of the budget's limit, which may have been restored since the actor started, and the rule's. */
const limitOf = ({ account, path }: Actor, { startedAt, rule }: Timed): Limit => {
  const ruleEndsAt = startedAt + (rule?.afterMs ?? Infinity);
  const endsAt = account?.path === path ? account.endsAt : Infinity;
  return rule === undefined || (account !== undefined && endsAt <= ruleEndsAt)
    ? { dueAt: firstPast(endsAt), reasonAt: (now) => account?.lateAt(now) ?? { kind: 'failed' } }
    : { dueAt: firstPast(ruleEndsAt), reasonAt: () => rule.reason };
};

/** Clocks count whole milliseconds. */
const firstPast = (endsAt: number): number => Math.floor(endsAt) + 1;
