import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { EventBody } from '../../../contracts/events/event.ts';
import type { Arrived, Happened } from '../../../contracts/journals/journal-record.ts';
import { toJson } from '../../../base/json/json.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Speaker } from '../../log/lazy-log.ts';
import { reduceTo } from '../../actors/reduce-to.ts';
import type { Actor, Job } from '../../actors/actor.ts';
import type { Divergence } from './determinism-error.ts';
import { DeterminismError } from './determinism-error.ts';
import type { KeptRecord } from './derived-events.ts';
import { putInPlace } from './put-in-place.ts';
import type { Ahead } from './ahead.ts';
import type { AtEnd, ReplayContext, Pending } from './replay-context.ts';
import type { RecordedChild } from '../write/journal-port.ts';
import { bodyOf, isIdenticalEvent, isSameEvent } from './recorded-event.ts';
import { Rerun } from '../write/scope.ts';
import type { Scope } from '../write/scope.ts';

/**
 * Replays a run from its journal: effects are answered from the record and not executed; each event must equal the recorded one. At the end
 * of the journal the run continues live.
 *
 * I1 A record is applied after the same jobs and events as when it was written.
 * I2 An effect without a recorded answer is executed when the journal is at its end, and not before.
 */
export class JournalReplay {
  readonly #context: ReplayContext;
  readonly #pending = new Map<string, Pending>();
  /** By the key of their effect. */
  readonly #children = new Map<string, RecordedChild[]>();
  readonly #answers = new Map<string, string[]>();
  /** Times at which the children of effects were engaged, by address. */
  readonly #born = new Map<string, number>();
  readonly #recordsOf = new Map<string, KeptRecord[]>();
  #isResuming = false;

  constructor(context: ReplayContext) {
    this.#context = context;
  }

  /** The `index`-th child that an effect ran; undefined if none is recorded. */
  childOf(key: string, index: number): RecordedChild | undefined {
    return this.#children.get(this.#keyInRun(key))?.[index];
  }

  /** A person's recorded answer to the `index`-th question of an effect. */
  previousAnswer(key: string, index: number): string | undefined {
    return this.#answers.get(this.#keyInRun(key))?.[index];
  }

  /** Starts a child of an effect: live, or by replaying its records. */
  engage(scope: Scope, start: () => void): void {
    const records = this.#recordsOf.get(scope.path);
    this.#recordsOf.delete(scope.path);
    if (records === undefined) {
      this.#context.job(scope, start);
      return;
    }
    scope.now = this.#born.get(scope.path) ?? scope.now;
    this.replay(scope, records, start);
  }

  /** Defers an effect: the journal may already hold its answer. */
  defer(entry: Actor, ask: Ask, epoch: number): void {
    this.#pending.set(this.#keyInRun(ask.key), { entry, ask, epoch });
  }

  due(job: Job): Job | undefined {
    const { rerun } = job.actor.scope;
    if (rerun === undefined) return this.#isResuming ? { ...job, isResumed: true } : job;
    const { run } = this.#context;
    rerun.jobs.push({
      work: () => {
        run.work(job);
      },
      leave: () => {
        // Marked as resumed because everything that its effects wait for is committed already, though nothing was written since.
        run.enqueue({ ...job, isResumed: true });
      },
    });
    return undefined;
  }

  resuming(work: () => void): void {
    this.#isResuming = true;
    try {
      work();
    } finally {
      this.#isResuming = false;
    }
  }

  /** Replays the records of a scope from its start. */
  replay(scope: Scope, records: readonly KeptRecord[], start: () => void, onEnd?: AtEnd): void {
    const { clock, job, memories } = this.#context;
    const rerun = new Rerun(records);
    scope.rerun = rerun;
    let isGoneOn = false;
    try {
      clock.within(undefined, () => {
        this.catchUp(scope);
        job(scope, start);
        while (scope.rerun !== undefined) {
          const next = rerun.jobs.shift();
          if (next === undefined) this.#stuck(scope, rerun);
          next.work();
        }
      });
      isGoneOn = onEnd?.isFork !== true;
    } finally {
      scope.rerun = undefined;
      memories.settle(scope, isGoneOn);
    }
    onEnd?.before?.();
    this.#context.run.deadlines.resume(scope);
    this.#resume(scope, onEnd?.answer);
  }

  /** Prepares a replay of the run's own scope that waits for records: {@link proceed} gives it those that there are. */
  follow(ahead: Ahead, start: () => void): void {
    const { root, job } = this.#context;
    root.rerun = new Rerun([], ahead);
    root.rerun.jobs.push({
      work: () => {
        job(root, start);
      },
      leave: () => undefined,
    });
  }

  /** Replays further records, as far as they go; false if something else is on record. Throws if the replay produced something else. */
  proceed(records: readonly KeptRecord[]): boolean {
    const { root, clock } = this.#context;
    const { rerun } = root;
    const rest = rerun?.ahead?.confirm(records);
    if (rerun === undefined || rest === undefined) return false;
    if (rest.length === 0) return true;
    rerun.append(rest);
    clock.within(undefined, () => {
      this.catchUp(root);
      while (rerun.next !== undefined) {
        const next = rerun.jobs.shift();
        if (next === undefined) this.#stuck(root, rerun);
        next.work();
      }
    });
    return true;
  }

  /** The next recorded event of a scope. Throws if the replay produced a different one. */
  expected(
    scope: Scope,
    rerun: Rerun,
    body: EventBody,
    { path, agent }: Speaker,
    step: number | undefined,
    phase: string | undefined,
  ): EventBody {
    const { next, ahead } = rerun;
    if (next?.kind === 'followed' && rerun.follow({ type: body.type, path, step, phase }, next)) return body;
    const place = { at: scope.now, path, agent, step, phase };
    if (next === undefined && ahead !== undefined) {
      ahead.expect({ body, place });
      return body;
    }
    const isRecorded = next?.kind === 'event' && next.tick === undefined;
    if (isRecorded && isIdenticalEvent(next.event, body, place)) {
      rerun.advance();
      // Reuses the machine's own object, so that equal data is kept once.
      return body;
    }
    const found = { ...place, ...body };
    if (!isRecorded || !isSameEvent(next.event, found)) {
      this.#diverged(place, next?.kind === 'event' ? next.event : next, found);
    }
    rerun.advance();
    return bodyOf(next.event);
  }

  /** Applies the arrivals recorded at this point. */
  catchUp(scope: Scope): void {
    const { root, clock, onAhead } = this.#context;
    for (;;) {
      const { rerun } = scope;
      if (rerun === undefined) return;
      const { next } = rerun;
      if (next === undefined && rerun.ahead !== undefined) {
        rerun.ahead.meet();
        return;
      }
      if (next === undefined) {
        scope.rerun = undefined;
        if (scope === root) onAhead();
        // Deferred jobs run before new arrivals.
        for (const { leave } of rerun.jobs.splice(0)) leave();
        return;
      }
      if (next.kind === 'began') {
        clock.advance(next.at, scope);
        rerun.advance();
      } else if (next.kind === 'followed') return;
      else if (next.scope !== scope.name) {
        rerun.advance();
        this.#applyForeign(next);
      } else if (next.tick === undefined || next.tick > scope.tick) return;
      else {
        rerun.advance();
        if (next.kind === 'event') {
          clock.advance(next.event.at, scope);
          this.#republish(next, scope !== root);
        } else this.#applyArrival(scope, next);
      }
    }
  }

  /** Throws: all jobs are done, and the journal has more records. */
  #stuck(scope: Scope, { next }: Rerun): never {
    this.#diverged(next?.kind === 'event' ? next.event : scope, next);
  }

  #diverged({ path, step }: Pick<Divergence, 'path' | 'step'>, expected: unknown, found?: unknown): never {
    throw new DeterminismError({
      runId: this.#context.run.runId,
      path,
      step,
      expected: toJson(expected ?? null),
      found: toJson(found ?? null),
    });
  }

  /** Applies a record of another scope: publishes it, and keeps it for the replay of that scope. */
  #applyForeign(record: Happened | Arrived): void {
    const { run, clock } = this.#context;
    const { scope = '' } = record;
    const known = this.#recordsOf.get(scope);
    if (known === undefined) this.#recordsOf.set(scope, [record]);
    else known.push(record);
    if (record.kind === 'event') {
      this.#republish(record, false);
      return;
    }
    const { at, arrival } = record;
    clock.advance(at);
    if (arrival.type === 'drawn') this.#context.budgets.note(arrival);
    else if (arrival.type === 'message') run.noteMessage(arrival.message, arrival.path);
    else if (arrival.type === 'kept') run.keep(arrival.path, arrival.artifacts);
    else if (arrival.type === 'charged') run.log.charge(arrival.model, arrival.usage, arrival.costUsd);
    else run.sent(arrival);
  }

  #republish({ event }: Happened, isInLog: boolean): void {
    const { run, clock } = this.#context;
    const { at, path, agent, step, phase } = event;
    clock.advance(at);
    clock.republish({ at, isInLog }, () => {
      const body = bodyOf(event);
      run.log.write(body, { path, agent }, step, phase);
      run.heard(body, { at, path, agent, step });
    });
  }

  #applyArrival(scope: Scope, { at, arrival }: Arrived): void {
    const { root, run, clock, job, memories, onRead } = this.#context;
    clock.advance(at, scope);
    switch (arrival.type) {
      case 'answered':
      case 'failed': {
        const pending = this.#pending.get(arrival.key);
        this.#pending.delete(arrival.key);
        if (pending === undefined) this.#diverged(scope, arrival);
        const answer = arrival.type === 'failed' ? { error: arrival.error } : { output: arrival.output };
        run.effects.answer(pending.entry, pending.ask, answer, at);
        break;
      }
      case 'message':
        job(scope, () => {
          run.post(arrival.message, arrival.path);
        });
        break;
      case 'state':
      case 'expired': {
        const actor = run.actors.at(arrival.path);
        if (actor === undefined) break;
        if (arrival.type === 'state') reduceTo(actor, arrival);
        else run.deadlines.expire(actor, arrival.reason, at);
        break;
      }
      case 'subscribed':
        run.subscribed(arrival.path, arrival.topic, arrival.isOn);
        break;
      case 'abort':
        run.deliverAbort(arrival.reason, at);
        break;
      case 'engaged': {
        const { key, index, path, agent, input } = arrival;
        putInPlace(this.#children, key, index, { path, agent, input });
        this.#born.set(path, at);
        run.actors.reserve(path);
        break;
      }
      case 'told':
        putInPlace(this.#answers, arrival.key, arrival.index, arrival.text);
        break;
      case 'checkpointed':
        run.effects.checkpoints.set(arrival.key, arrival);
        break;
      case 'stopped':
        job(scope, () => {
          run.actors.stopAt(scope.path, arrival.reason);
        });
        break;
      case 'broke':
        run.actors.at(arrival.path)?.end(arrival.outcome);
        break;
      case 'charged':
        // The charges of a child are included in the run's total already.
        if (scope === root) run.log.charge(arrival.model, arrival.usage, arrival.costUsd);
        else run.charged(arrival.path, arrival.model, arrival.usage, arrival.costUsd);
        break;
      case 'kept':
        if (scope === root) run.keep(arrival.path, arrival.artifacts);
        break;
      case 'drawn':
        this.#context.budgets.note(arrival);
        run.actors.at(arrival.path)?.account?.restore(arrival.used);
        break;
      case 'closed':
        job(scope, () => {
          run.close();
        });
        break;
      case 'resumed':
        run.log.resumed(at);
        break;
      default:
        run.sent(arrival);
        memories.met(arrival);
        onRead?.(arrival, this.#pending);
    }
  }

  /** Executes the effects that had no answer when the journal ended. */
  #resume(scope: Scope, answer: AtEnd['answer'] = () => false): void {
    const { effects } = this.#context.run;
    const waiting = [...this.#pending].filter(([, { entry }]) => entry.scope === scope);
    for (const [key, { entry, ask, epoch }] of waiting) {
      this.#pending.delete(key);
      if (entry.isOver || entry.epoch !== epoch) effects.forget(entry, ask);
      else if (!answer(entry, ask)) effects.ask(entry, ask, epoch, true);
    }
  }

  #keyInRun(key: string): string {
    return keyInRun({ key, runId: this.#context.run.runId });
  }
}
