import { systemClock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { isTroupeError, messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { memoryStore } from '../../persistence/memory-store.ts';
import { settledResult } from '../../runtime/journal/replay/replay.ts';
import { readStoredRun } from '../../runtime/journal/replay/read-stored-run.ts';
import { resumeOrStart } from '../../runtime/journal/resume/run-or-resume.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import type { Recording } from '../rehearsal/recorded-effects.ts';
import { RecordedEffects, recordingOf } from '../rehearsal/recorded-effects.ts';
import { DrivenClock } from './driven-clock.ts';
import type { Fault, Places } from './fault.ts';
import { OneFault } from './fault.ts';
import { FaultyStore } from './faulty-store.ts';
import { FaultyWorld } from './faulty-world.ts';
import { isLost } from './lost-run.ts';
import type { InjectFaultsOptions } from './fault-options.ts';
import type { FaultOutcome } from './resilience-report.ts';
import { errorIn, weaknessOf } from './weakness.ts';

/** Time by the virtual clock after which a run is taken for hung, in ms. */
const PATIENCE_MS = 3_600_000;

const RUN_ID = 'faulty';

type AnyResult = RunResult<unknown, unknown>;

/** The run without a fault. */
export interface BaselineRun {
  readonly output: Json;
  readonly durationMs: number;
  readonly recording: Recording | undefined;
  readonly events: readonly RuntimeEvent[];
}

/** The run without a fault, as others are compared with it. */
export interface Comparison {
  readonly output: Json;
  readonly answerVaries: boolean;
  readonly isSame: (output: Json) => boolean;
}

/** One run of the task, in a world, a store and a time of its own. */
export class FaultRun {
  readonly #agent: EvaluatedAgent;
  readonly #options: InjectFaultsOptions;
  readonly #clock = new DrivenClock(systemClock.now());
  readonly #store = memoryStore();
  readonly #plan: OneFault;
  readonly #world: FaultyWorld;
  readonly #faulty: FaultyStore;
  readonly #startedAt: number;
  #isResumed = false;

  constructor(agent: EvaluatedAgent, options: InjectFaultsOptions, fault?: Fault, recording?: Recording) {
    this.#agent = agent;
    this.#options = options;
    this.#startedAt = this.#clock.now();
    // A model that is made for each run says what comes next by itself, but for a process that resumes one: that asks as the run did.
    const isRecorded =
      typeof options.model !== 'function' || fault?.dependency === 'store' || fault?.dependency === 'process';
    const recorded = recording === undefined || !isRecorded ? undefined : new RecordedEffects(recording);
    this.#plan = new OneFault(fault);
    this.#world = new FaultyWorld(this.#clock, this.#plan, recorded);
    this.#faulty = new FaultyStore(this.#store, (count) => this.#plan.write(count));
  }

  /** The places that it has come to. */
  get places(): Places {
    const { models, tools, unrepeatable } = this.#world;
    return { models, tools, unrepeatable: [...unrepeatable], writes: this.#faulty.writes };
  }

  /** Runs without a fault. @throws {TroupeError} `input.invalid` unless it completes. */
  async begin(): Promise<BaselineRun> {
    const { result, error, waitsFor, events } = await this.#go();
    const { name } = this.#agent;
    if (result?.status !== 'completed') {
      const waits =
        waitsFor === undefined
          ? 'it neither ends nor fails'
          : `it waits for ${waitsFor}: give \`approve: true\`, or \`run: { person }\``;
      const why =
        result?.error?.message ??
        result?.stopReason.kind ??
        (waitsFor === undefined ? error : undefined) ??
        waits;
      throw new TroupeError(
        'input.invalid',
        `Cannot inject faults into '${name}' as it does not complete without one: ${why}`,
      );
    }
    const entry = await this.#store.entry(RUN_ID);
    const stored = entry === undefined ? undefined : await readStoredRun(this.#store, entry);
    const recording = stored === undefined ? undefined : recordingOf(RUN_ID, stored.records);
    return {
      output: toJson(result.output),
      durationMs: this.#clock.now() - this.#startedAt,
      recording,
      events,
    };
  }

  /** Runs with its fault, resumes the run where that has ended its process, and tells its outcome. */
  async inject(fault: Fault, { output, answerVaries, isSame }: Comparison): Promise<FaultOutcome> {
    const end = await this.#go();
    const { result, error, isHung, waitsFor, events } = end;
    const parts = {
      fault,
      durationMs: end.endedAt - this.#startedAt,
      retries: result?.totals.retries ?? 0,
      fellBackTo: events.flatMap((event) => (event.type === 'model.fell-back' ? [event.to] : [])),
      isResumed: this.#isResumed,
    };
    if (!this.#plan.isReached) return { ...parts, outcome: 'unreached' };
    const outcome = kindOf(end, isSame);
    const failure =
      result?.error ?? (error === undefined ? undefined : ({ code: 'internal', message: error } as const));
    const found = {
      ...parts,
      outcome,
      ...(result?.output === undefined ? {} : { output: toJson(result.output) }),
      ...(result === undefined || result.status === 'completed' ? {} : { stop: result.stopReason.kind }),
      ...(failure === undefined ? {} : { error: { code: failure.code, message: failure.message } }),
      ...(waitsFor === undefined || !isHung ? {} : { waitsFor }),
    };
    const answer = result?.output === undefined ? '' : textOf(toJson(result.output));
    const saidError = errorIn(answer, textOf(output), events);
    const { executedTwice } = this.#world;
    return { ...found, ...weaknessOf(found, { executedTwice, answerVaries, saidError }) };
  }

  async #go(): Promise<RunEnd> {
    const { input } = this.#options;
    const store = this.#faulty.asProcess();
    const begin = (options: RunOptions) => this.#agent.stream(input, options);
    const own = await this.#follow(() => begin(this.#optionsOn(store)), this.#faulty.died);
    if (!own.isCut) return own;
    // Another process, on a store that works: a run that was not even entered is started again.
    this.#isResumed = true;
    const options = this.#optionsOn(new FaultyStore(this.#store).asProcess());
    return this.#follow(() => resumeOrStart(this.#agent, options, () => begin(options)));
  }

  #optionsOn(store: JournalStore): RunOptions & { readonly store: JournalStore; readonly runId: string } {
    const { run, model } = this.#options;
    const chosen = typeof model === 'function' ? model() : model;
    return {
      ...run,
      runId: RUN_ID,
      store,
      clock: this.#clock,
      executor: this.#world.execute,
      resources: [...(run?.resources ?? []), this.#world.resource],
      ...(chosen === undefined ? {} : { model: chosen }),
    };
  }

  /** Ends a run that would go on for ever. */
  async #end(handle: RunHandle<unknown, unknown> | undefined, run: Promise<void>): Promise<void> {
    const startedAt = this.#clock.now();
    handle?.abort('taken for hung');
    await this.#clock.drive(run, startedAt + PATIENCE_MS);
  }

  /** Follows a run to its end, to the death of its process, or until it is taken for hung. */
  async #follow(
    start: () => RunHandle<unknown, unknown> | Promise<RunHandle<unknown, unknown>>,
    killed?: Promise<void>,
  ): Promise<RunEnd> {
    const { patienceMs = PATIENCE_MS, run: given, approve } = this.#options;
    const events: RuntimeEvent[] = [];
    let handle: RunHandle<unknown, unknown> | undefined;
    let result: AnyResult | undefined;
    let thrown: unknown;
    let isDead = false;
    const died = killed?.then(() => {
      isDead = true;
    });
    const work = async (): Promise<void> => {
      try {
        handle = await start();
        const { events$ } = handle;
        events$.subscribe({
          next: (event) => {
            if (event.type === 'model.delta') return;
            events.push(event);
            if (event.type === 'tool.approval-requested' && approve === true) approveNow(handle, event.id);
          },
          error: () => undefined,
        });
        result = await settledResult(handle.result);
        if (result === undefined) await handle.result;
      } catch (error) {
        thrown = error;
      }
    };
    const run = work();
    const isSettled = await this.#clock.drive(
      Promise.race([run, ...(died === undefined ? [] : [died])]),
      this.#clock.now() + patienceMs,
      () => given?.person === undefined && openRequest(events) !== undefined,
    );
    const isHung = !isSettled;
    const endedAt = this.#clock.now();
    const waitsFor = isHung ? openRequest(events) : undefined;
    if (isHung) await this.#end(handle, run);
    const isCut = !isHung && (isDead || isLost(thrown, result));
    return {
      result: isCut || isHung ? undefined : result,
      error: thrown === undefined ? undefined : messageOf(thrown),
      isHung,
      isCut,
      waitsFor,
      events,
      endedAt,
    };
  }
}

/** Gives the yes of a person, where one is awaited: a resumed run repeats what was asked before. One that needs a role goes on waiting. */
const approveNow = (handle: RunHandle<unknown, unknown> | undefined, id: string): void => {
  try {
    if (handle?.requests.some((request) => request.id === id) === true) handle.approve(id);
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
  }
};

const textOf = (answer: Json): string => (typeof answer === 'string' ? answer : JSON.stringify(answer));

/** The end of a run, or of its process. */
interface RunEnd {
  readonly result: AnyResult | undefined;
  readonly error: string | undefined;
  readonly isHung: boolean;
  /** True if it goes on elsewhere. */
  readonly isCut: boolean;
  readonly waitsFor: string | undefined;
  /** By its clock. */
  readonly endedAt: number;
  readonly events: readonly RuntimeEvent[];
}

const kindOf = (
  { result, isHung, waitsFor }: RunEnd,
  isSame: (output: Json) => boolean,
): FaultOutcome['outcome'] => {
  if (isHung) return waitsFor === undefined ? 'hung' : 'waiting';
  if (result === undefined || result.status === 'failed') return 'failed';
  if (result.status !== 'completed') return 'stopped';
  return isSame(toJson(result.output)) ? 'same' : 'other';
};

/** The subject of an open request to a person. */
const openRequest = (events: readonly RuntimeEvent[]): string | undefined => {
  const open = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'tool.approval-requested') open.set(event.id, `the approval of '${event.tool}'`);
    else if (event.type === 'tool.ambiguous')
      open.set(event.id, `a person who knows if '${event.tool}' was executed`);
    else if (event.type === 'person.asked') open.set(event.id, 'the answer to a question');
    else if (
      event.type === 'tool.approved' ||
      event.type === 'tool.denied' ||
      event.type === 'person.answered'
    )
      open.delete(event.id ?? '');
  }
  return [...open.values()].at(-1);
};
