import { perform } from '../actors/perform.ts';
import type { Port } from '../contracts/effect.ts';
import { errorData, TroupeError } from '../contracts/error.ts';
import type { EffectRecord } from '../contracts/run.ts';
import type { Ask } from '../machines/asks.ts';
import { LazyAbort } from '../contracts/lazy-abort.ts';
import { isThenable } from '../contracts/thenable.ts';
import { CallCache } from '../tools/call-cache.ts';
import type { Actor, EffectUnderWay } from './stage.ts';
import { EffectDesk, late } from './effect-desk.ts';
import { Slot } from './slot.ts';
import type { Envelope } from './stage.ts';
import type { Stage } from './stage.ts';

/**
 * Has effects done, and tells the actors that asked.
 *
 * I1  Every effect passes the gate, and is on record before it begins.
 * I2  An actor that is over, or that withdrew an effect, is never told of its answer; what comes too late is on record.
 */
export class EffectRunner {
  readonly records: EffectRecord[] = [];
  /** What the run's cacheable tools have answered. */
  readonly answers = new CallCache();
  readonly #run: Stage;

  constructor(run: Stage) {
    this.#run = run;
  }

  /** Has an effect done, as soon as the gate lets it pass and if its actor still wants it then. */
  ask(entry: Actor, ask: Ask, epoch: number): void {
    this.#run.gate.pass(
      () => {
        this.#perform(entry, ask);
      },
      () => !entry.isOver && epoch === entry.epoch,
    );
  }

  /** Puts an effect on record that is done elsewhere. */
  note(record: EffectRecord): void {
    this.records.push(record);
  }

  withdraw(gone: readonly EffectUnderWay[]): void {
    for (const { abort, record, slot } of gone) {
      record.state = 'withdrawn';
      slot?.leave();
      abort.abort(new TroupeError('run.aborted', 'Cannot go on as nobody waits for this any more'));
    }
  }

  #perform(entry: Actor, ask: Ask): void {
    const { agent } = entry.principal.definition;
    const record: EffectUnderWay['record'] = {
      key: ask.key,
      port: ask.port,
      path: entry.path,
      askedAt: this.#run.log.now(),
      state: 'asked',
      // Room for what comes: a field that is added later is kept in a list of its own.
      output: undefined,
    };
    const effect: EffectUnderWay = { abort: new LazyAbort(), slot: undefined, record };
    this.records.push(record);
    let answer: unknown;
    try {
      if (agent === undefined)
        throw new TroupeError('internal', `Cannot do '${ask.port}' as '${entry.path}' is no agent`);
      answer = perform(ask, new EffectDesk(entry, agent, ask, effect));
    } catch (thrown) {
      this.#fail(entry, ask, effect, thrown);
      return;
    }
    if (isThenable(answer)) this.#await(entry, ask, effect, answer);
    else this.#answer(entry, ask, effect, answer);
  }

  #await(entry: Actor, ask: Ask, effect: EffectUnderWay, answer: PromiseLike<unknown>): void {
    entry.underWay.add(effect);
    if (!WAITS.has(ask.port)) (effect.slot ??= new Slot(this.#run.gate)).take();
    answer.then(
      (output) => {
        effect.slot?.leave();
        if (entry.underWay.delete(effect)) this.#answer(entry, ask, effect, output);
        else late(effect, output);
      },
      (thrown: unknown) => {
        effect.slot?.leave();
        // Work that was called off and says so is as it should be: it stays withdrawn.
        if (entry.underWay.delete(effect)) this.#fail(entry, ask, effect, thrown);
      },
    );
  }

  #answer(entry: Actor, ask: Ask, { record }: EffectUnderWay, output: unknown): void {
    record.state = 'answered';
    record.output = output;
    this.#deliver(entry, { type: `answered.${ask.port}`, at: this.#run.log.now(), index: ask.index, output });
  }

  #fail(entry: Actor, ask: Ask, { record }: EffectUnderWay, thrown: unknown): void {
    const { runId, path, step, phase, port: operation, key: errorId } = ask;
    const message = `Cannot do '${ask.port}' for '${ask.agent}' as it failed`;
    const error = errorData(thrown, 'agent.threw', {
      message,
      runId,
      path,
      step,
      phase,
      operation,
      errorId,
    });
    record.state = 'failed';
    record.output = error;
    this.#deliver(entry, { type: `failed.${ask.port}`, at: this.#run.log.now(), index: ask.index, error });
  }

  #deliver(entry: Actor, envelope: Envelope): void {
    this.#run.enqueue({ kind: 'deliver', actor: entry, envelope });
  }
}

/** Ports that only wait, for a time or a person: they are not counted among the work under way. */
const WAITS: ReadonlySet<Port> = new Set<Port>(['wake', 'pause', 'approve']);
