import { keyInRun } from '../../../contracts/effect.ts';
import type { EventBody } from '../../../contracts/event.ts';
import type { Arrived, Happened } from '../../../contracts/journal-record.ts';
import { toJson } from '../../../contracts/json.ts';
import type { Ask } from '../../../machines/asks.ts';
import type { Speaker } from '../../log/lazy-log.ts';
import type { Actor, Job } from '../../actors/actor.ts';
import { DeterminismError } from './determinism-error.ts';
import type { KeptRecord } from './followed.ts';
import { putInPlace } from './put-in-place.ts';
import type { AtEnd, Journey, Pending } from './journey.ts';
import type { RecordedChild } from '../write/recorder.ts';
import { bodyOf, isSaid, isSameEvent } from './recorded-event.ts';
import { Rerun } from '../write/scope.ts';
import type { Scope } from '../write/scope.ts';

/**
 * Goes through the records of a run again: the machines do what they did, effects are answered as they were, and nothing
 * is done. What they do has to be what the journal says; where it ends, the run goes on by itself.
 *
 * I1  A record is met after the same jobs and events as when it was written.
 * I2  An effect without an answer is done when the journal is at its end, and not before.
 */
export class GoingThrough {
  readonly #journey: Journey;
  readonly #pending = new Map<string, Pending>();
  /** By the key of their effect. */
  readonly #children = new Map<string, RecordedChild[]>();
  readonly #told = new Map<string, string[]>();
  /** When the children of effects were engaged, by address. */
  readonly #born = new Map<string, number>();
  readonly #recordsOf = new Map<string, KeptRecord[]>();
  #isResuming = false;

  constructor(journey: Journey) {
    this.#journey = journey;
  }

  /** The child that an effect ran in that place, if the journal has one. */
  childOf(key: string, index: number): RecordedChild | undefined {
    return this.#children.get(this.#short(key))?.[index];
  }

  /** What a person answered to the `index`-th question of an effect. */
  toldBefore(key: string, index: number): string | undefined {
    return this.#told.get(this.#short(key))?.[index];
  }

  /** Begins a child of an effect: anew, or by going through what the journal has of it. */
  engage(scope: Scope, start: () => void): void {
    const records = this.#recordsOf.get(scope.path);
    this.#recordsOf.delete(scope.path);
    if (records === undefined) {
      this.#journey.job(scope, start);
      return;
    }
    scope.now = this.#born.get(scope.path) ?? scope.now;
    this.through(scope, records, start);
  }

  /** Keeps an effect back, as its answer may be on record. */
  hold(entry: Actor, ask: Ask, epoch: number): void {
    this.#pending.set(this.#short(ask.key), { entry, ask, epoch });
  }

  due(job: Job): Job | undefined {
    const { rerun } = job.actor.scope;
    if (rerun === undefined) return this.#isResuming ? { ...job, isResumed: true } : job;
    const { run } = this.#journey;
    rerun.jobs.push({
      work: () => {
        run.work(job);
      },
      leave: () => {
        // All that an effect waits for to begin is written: it may have, though nothing was written since.
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

  /** Goes through records of a scope, from how it began. */
  through(scope: Scope, records: readonly KeptRecord[], start: () => void, onEnd?: AtEnd): void {
    const { moment, job, memories } = this.#journey;
    const rerun = new Rerun(records);
    scope.rerun = rerun;
    let isGoneOn = false;
    try {
      moment.within(undefined, () => {
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
    this.#journey.run.deadlines.resume(scope);
    this.#resume(scope, onEnd?.answer);
  }

  /** The event that is to come next in a scope, as the journal has it; throws if another came. */
  expected(
    scope: Scope,
    rerun: Rerun,
    body: EventBody,
    { path, agent }: Speaker,
    step: number | undefined,
    phase: string | undefined,
  ): EventBody {
    const { next } = rerun;
    if (next?.kind === 'followed' && rerun.follow({ type: body.type, path, step, phase }, next)) return body;
    const place = { at: scope.now, path, agent, step, phase };
    const isRecorded = next?.kind === 'event' && next.tick === undefined;
    if (isRecorded && isSaid(next.event, body, place)) {
      rerun.advance();
      // The machine has it already: what is shared is not kept twice.
      return body;
    }
    const found = { ...place, ...body };
    if (!isRecorded || !isSameEvent(next.event, found)) {
      const { run } = this.#journey;
      const expected = toJson(next?.kind === 'event' ? next.event : (next ?? null));
      throw new DeterminismError({ runId: run.runId, path, step, expected, found: toJson(found) });
    }
    rerun.advance();
    return bodyOf(next.event);
  }

  /** Lets in what came in at this very point. */
  catchUp(scope: Scope): void {
    const { root, moment, onAhead } = this.#journey;
    for (;;) {
      const { rerun } = scope;
      if (rerun === undefined) return;
      const { next } = rerun;
      if (next === undefined) {
        scope.rerun = undefined;
        if (scope === root) onAhead();
        // What is left to be done comes before what is to come.
        for (const { leave } of rerun.jobs.splice(0)) leave();
        return;
      }
      if (next.kind === 'began') {
        moment.passed(next.at, scope);
        rerun.advance();
      } else if (next.kind === 'followed') return;
      else if (next.scope !== scope.name) {
        rerun.advance();
        this.#overheard(next);
      } else if (next.tick === undefined || next.tick > scope.tick) return;
      else {
        rerun.advance();
        if (next.kind === 'event') {
          moment.passed(next.event.at, scope);
          this.#retell(next, scope !== root);
        } else this.#letIn(scope, next);
      }
    }
  }

  /** Everything is done, and the journal has more. */
  #stuck(scope: Scope, { next }: Rerun): never {
    const { runId } = this.#journey.run;
    const event = next?.kind === 'event' ? next.event : undefined;
    const place = { path: event?.path ?? scope.path, step: event?.step };
    throw new DeterminismError({ runId, ...place, expected: toJson(next ?? null), found: null });
  }

  /** Something of another scope: it is told, and kept for whoever goes through that scope. */
  #overheard(record: Happened | Arrived): void {
    const { run, moment } = this.#journey;
    const { scope = '' } = record;
    const known = this.#recordsOf.get(scope);
    if (known === undefined) this.#recordsOf.set(scope, [record]);
    else known.push(record);
    if (record.kind === 'event') {
      this.#retell(record, false);
      return;
    }
    moment.passed(record.at);
    const { arrival } = record;
    if (arrival.type === 'drawn') this.#journey.budgets.note(arrival);
    else if (arrival.type === 'message') run.overheard(arrival.message, arrival.path);
    else if (arrival.type === 'kept') run.keep(arrival.path, arrival.artifacts);
    else if (arrival.type === 'charged') run.log.charge(arrival.model, arrival.usage, arrival.costUsd);
    else run.sent(arrival);
  }

  #retell({ event }: Happened, isInLog: boolean): void {
    const { run, moment } = this.#journey;
    const { at, path, agent, step, phase } = event;
    moment.passed(at);
    moment.retell({ at, isInLog }, () => {
      const body = bodyOf(event);
      run.log.write(body, { path, agent }, step, phase);
      run.heard(body, { at, path, agent, step });
    });
  }

  #letIn(scope: Scope, { at, arrival }: Arrived): void {
    const { root, run, moment, job, memories } = this.#journey;
    moment.passed(at, scope);
    switch (arrival.type) {
      case 'answered':
      case 'failed': {
        const pending = this.#pending.get(arrival.key);
        this.#pending.delete(arrival.key);
        if (pending === undefined) {
          const place = { runId: run.runId, path: scope.path };
          throw new DeterminismError({ ...place, expected: toJson(arrival), found: null });
        }
        const answer = arrival.type === 'failed' ? { error: arrival.error } : { output: arrival.output };
        run.effects.answer(pending.entry, pending.ask, answer, at);
        break;
      }
      case 'message':
        job(scope, () => {
          run.post(arrival.message, arrival.path);
        });
        break;
      case 'subscribed':
        run.subscribed(arrival.path, arrival.topic, arrival.isOn);
        break;
      case 'abort':
        run.deliverAbort(arrival.reason, at);
        break;
      case 'expired':
        run.expire(arrival, at);
        break;
      case 'engaged': {
        const { key, index, path, agent, input } = arrival;
        putInPlace(this.#children, key, index, { path, agent, input });
        this.#born.set(path, at);
        run.actors.reserve(path);
        break;
      }
      case 'told':
        putInPlace(this.#told, arrival.key, arrival.index, arrival.text);
        break;
      case 'stopped':
        job(scope, () => {
          run.actors.stopAt(scope.path, arrival.reason);
        });
        break;
      case 'broke':
        run.broke(arrival.path, arrival.outcome);
        break;
      case 'charged':
        // What is told of a child is counted for the run already.
        if (scope === root) run.log.charge(arrival.model, arrival.usage, arrival.costUsd);
        else run.charged(arrival.path, arrival.model, arrival.usage, arrival.costUsd);
        break;
      case 'kept':
        if (scope === root) run.keep(arrival.path, arrival.artifacts);
        break;
      case 'drawn':
        this.#journey.budgets.note(arrival);
        run.actors.at(arrival.path)?.account?.restore(arrival.used);
        break;
      case 'closed':
        job(scope, () => {
          run.close();
        });
        break;
      case 'prompted':
        this.#journey.onPrompted(arrival);
        break;
      default:
        run.sent(arrival);
        memories.met(arrival);
    }
  }

  /** Has done what was asked for and not answered when the journal ended. */
  #resume(scope: Scope, answer: AtEnd['answer'] = () => false): void {
    const { effects } = this.#journey.run;
    const waiting = [...this.#pending].filter(([, { entry }]) => entry.scope === scope);
    for (const [key, { entry, ask, epoch }] of waiting) {
      this.#pending.delete(key);
      if (entry.isOver || entry.epoch !== epoch) effects.forget(entry, ask);
      else if (!answer(entry, ask)) effects.ask(entry, ask, epoch, true);
    }
  }

  #short(key: string): string {
    return keyInRun({ key, runId: this.#journey.run.runId });
  }
}
