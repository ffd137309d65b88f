import type { AgentDefinition } from '../../actors/agent-definition.ts';
import { awaitTime } from '../../actors/await-time.ts';
import { perform } from '../../actors/perform.ts';
import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { Port } from '../../contracts/runs/effect.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import type { EffectRecord } from '../../contracts/runs/run-result.ts';
import type { Ask } from '../../machines/asks.ts';
import { callIn } from '../../machines/asks.ts';
import { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { andThen, isThenable } from '../../base/promises/thenable.ts';
import { awaitLook } from '../people/await-look.ts';
import type { PersonTime } from '../people/person-time.ts';
import { CallCache } from '../../tools/calls/call-cache.ts';
import type { Actor } from '../actors/actor.ts';
import type { EffectAnswer, EffectUnderWay } from './effect-under-way.ts';
import type { EffectRecorder, JournalPort } from '../journal/write/journal-port.ts';
import { missingTool } from '../journal/replay/missing-tool.ts';
import { hideDecided } from '../secrets/hide-fields.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { DeskRun } from './effect-desk.ts';
import { EffectDesk, recordLate } from './effect-desk.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';
import { Slot } from './slot.ts';

/** The calls that effects need of their run. */
export interface EffectfulRun extends DeskRun {
  readonly journal: DeskRun['journal'] & EffectRecorder & Pick<JournalPort, 'aside' | 'now'>;
  readonly secrets: Pick<RunSecrets, 'answer' | 'error' | 'text'>;
  readonly person: DeskRun['person'] & {
    /** An effect is over: its requests for people are withdrawn. */
    over(path: string, step: number, callId: string | undefined): void;
    readonly time: PersonTime;
  };
}

/**
 * Executes effects and answers the actors that asked for them.
 *
 * I1 Every effect passes the gate, and is on record before it starts.
 * I2 An actor that is over, or that withdrew an effect, never receives its answer; a late result is recorded.
 */
export class EffectRunner {
  readonly records: EffectRecord[] = [];
  /** Answers of the run's cacheable tools. */
  readonly answers = new CallCache();
  /** The last checkpoints of calls, by the keys of the calls in the run. */
  readonly checkpoints = new Map<string, Checkpoint>();
  /** Answers that a fork has in place of its models', by the keys of their calls in the run: each is taken once. */
  readonly given = new Map<string, ModelAnswer>();
  readonly #run: EffectfulRun;

  constructor(run: EffectfulRun) {
    this.#run = run;
  }

  /**
   * Executes an effect once the gate lets it pass, if its actor still wants it then. `isResumed` marks an effect that was asked for before
   * the run was resumed and has no recorded answer.
   */
  ask(entry: Actor, ask: Ask, epoch: number, isResumed = false): void {
    const { journal, gate } = this.#run;
    const isWanted = (): boolean => !entry.isOver && epoch === entry.epoch;
    if (journal.holds(entry, ask, epoch)) return;
    // Decremented at its start; an effect that is no longer wanted stays counted, which errs on the safe side.
    entry.heldAsks += 1;
    if (!isWanted()) return;
    gate.pass(() => {
      journal.begin(entry, ask, isWanted, () => {
        this.#perform(entry, ask, isResumed);
      });
    }, isWanted);
  }

  /** Answers an effect with its recorded answer. */
  answer(entry: Actor, ask: Ask, answer: EffectAnswer, at: number): void {
    const { key, port, index } = ask;
    const isFailure = 'error' in answer;
    const output = isFailure ? answer.error : answer.output;
    const state = isFailure ? 'failed' : 'answered';
    this.records.push({ key, port, path: entry.path, askedAt: at, state, output });
    if (port === 'prepare' && !isFailure) entry.memory?.preparedBefore(output);
    const said = isFailure ? { error: answer.error } : { output };
    entry.deliver({ type: `${state}.${port}`, at, index, ...said });
  }

  /** Records an effect that was withdrawn before it was answered. */
  forget(entry: Actor, ask: Ask): void {
    const { key, port, path } = ask;
    this.#run.person.over(entry.principal.path, ask.step, callIn(ask)?.id);
    this.records.push({ key, port, path, askedAt: this.#run.log.now(), state: 'withdrawn' });
  }

  /** Records an effect that is executed elsewhere. */
  note(record: EffectRecord): void {
    this.records.push(record);
  }

  withdraw({ principal }: Actor, gone: readonly EffectUnderWay[]): void {
    const { journal, log } = this.#run;
    for (const { abort, ask, record, slot } of gone) {
      record.state = 'withdrawn';
      journal.withdrawn(record.key);
      log.withdrawn(record.key, principal, ask.step);
      // Only after this turn, which may withdraw what waits for the slot, too.
      if (slot !== undefined) journal.aside(() => slot.leave());
      // Work that goes on outside of the process is not to be cancelled where the run is resumed.
      abort.abort(journal.lost ?? nobodyWaits('continue'));
    }
  }

  #perform(entry: Actor, ask: Ask, isResumed: boolean): void {
    const { agent } = entry.principal.definition;
    const record: EffectUnderWay['record'] = {
      key: ask.key,
      port: ask.port,
      path: entry.path,
      askedAt: this.#run.journal.now(),
      state: 'asked',
      // Preallocated: V8 stores fields added later in a separate list.
      output: undefined,
    };
    const { names: origins } = entry.principal.origins;
    const effect: EffectUnderWay = {
      abort: new LazyAbort(),
      slot: undefined,
      record,
      ask,
      isResumed,
      origins,
    };
    this.records.push(record);
    entry.heldAsks -= 1;
    entry.startingEffect = effect;
    let answer: unknown;
    try {
      answer = agent === undefined ? this.#wait(ask, effect) : this.#work(entry, agent, ask, effect);
    } catch (thrown) {
      this.#fail(entry, ask, effect, thrown);
      return;
    } finally {
      entry.startingEffect = undefined;
    }
    if (isThenable(answer)) this.#await(entry, ask, effect, answer);
    else this.#answer(entry, ask, effect, answer);
  }

  #work(entry: Actor, agent: AgentDefinition, ask: Ask, effect: EffectUnderWay): unknown {
    const desk = new EffectDesk(this.#run, entry, agent, ask, effect);
    const reopening = this.#run.journal.reopen(entry, ask, desk);
    const begin = (): unknown =>
      andThen(missingTool(ask, desk), (missing) =>
        missing === undefined ? perform(ask, desk) : this.#hold(missing),
      );
    return reopening === undefined ? begin() : reopening.then(begin);
  }

  /** Suspends the run as the effect's tool is missing; the returned promise never settles in this process. */
  #hold(missing: TroupeError): Promise<never> {
    void this.#run.journal.leave(missing);
    return new Promise<never>(() => undefined);
  }

  /** Teams ask for timers only. */
  #wait(ask: Ask, { abort }: EffectUnderWay): unknown {
    const { clock, person } = this.#run;
    if (ask.port === 'wake') return awaitLook(ask, { clock, abort, time: person.time });
    if (ask.port === 'pause') return awaitTime(ask.input, { clock, abort });
    throw new TroupeError('internal', `Cannot do '${ask.port}' as '${ask.path}' is no agent`);
  }

  #await(entry: Actor, ask: Ask, effect: EffectUnderWay, answer: PromiseLike<unknown>): void {
    entry.underWay.add(effect);
    if (!WAITS.has(ask.port)) (effect.slot ??= new Slot(this.#run.gate)).take();
    answer.then(
      (output) => {
        effect.slot?.leave();
        if (entry.underWay.delete(effect)) this.#answer(entry, ask, effect, output);
        else recordLate(effect, output);
      },
      (thrown: unknown) => {
        effect.slot?.leave();
        // A cancelled effect that rejects is expected; its record stays 'withdrawn'.
        if (entry.underWay.delete(effect)) this.#fail(entry, ask, effect, thrown);
      },
    );
  }

  #answer(entry: Actor, ask: Ask, { record, origins }: EffectUnderWay, given: unknown): void {
    if (ask.port === 'decide') hideDecided(entry.principal, given);
    // An answered effect is not replayed, and neither is a child that it ran.
    const output = entry.principal.origins.mark(this.#run.secrets.answer(given), origins);
    record.state = 'answered';
    record.output = output;
    const { journal, person } = this.#run;
    person.over(entry.principal.path, ask.step, callIn(ask)?.id);
    const at = journal.settled(entry, ask.key, { output });
    entry.deliver({ type: ANSWERED[ask.port], at, index: ask.index, output });
  }

  #fail(entry: Actor, ask: Ask, { record }: EffectUnderWay, thrown: unknown): void {
    const { runId, path, step, phase, port: operation, key: errorId } = ask;
    const message = `Cannot do '${ask.port}' for '${ask.agent}' as it failed`;
    const found = errorData(thrown, 'agent.threw', {
      message,
      runId,
      path,
      step,
      phase,
      operation,
      errorId,
    });
    const error = this.#run.secrets.error(found);
    record.state = 'failed';
    record.output = error;
    const { journal, person } = this.#run;
    person.over(entry.principal.path, ask.step, callIn(ask)?.id);
    const at = journal.settled(entry, ask.key, { error });
    entry.deliver({ type: `failed.${ask.port}`, at, index: ask.index, error });
  }
}

/** Types of the envelopes with answers. A text made for each answer would be compared letter by letter wherever it is looked at. */
const ANSWERED = {
  prepare: 'answered.prepare',
  observe: 'answered.observe',
  decide: 'answered.decide',
  act: 'answered.act',
  critique: 'answered.critique',
  wake: 'answered.wake',
  recover: 'answered.recover',
  model: 'answered.model',
  tool: 'answered.tool',
  approve: 'answered.approve',
  pause: 'answered.pause',
} as const satisfies { readonly [P in Port]: `answered.${P}` };

/** Ports that only wait for a time or a person: they do not count as work in progress. */
const WAITS: ReadonlySet<Port> = new Set<Port>(['wake', 'pause', 'approve']);
