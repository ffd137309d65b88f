import type { Json } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { RunHandle } from '../../contracts/runs/run-handle.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { settledResult } from '../../runtime/journal/replay/replay.ts';
import { isLost } from '../resilience/lost-run.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import type { Choices } from './world/choices.ts';
import { openRun } from './open-run.ts';
import { Outsiders } from './world/outsiders.ts';
import type { RunEnd } from './run-end.ts';
import type { SimulateOptions } from './simulate-options.ts';
import type { SimulatedProcess, SimulatedWorld } from './world/simulated-world.ts';
import type { Temper } from './world/temper.ts';
import { peoplesDelays } from './world/temper.ts';

/** Time that a run may take by the virtual clock, in ms: 60 days. */
const LONGEST_MS = 5_184_000_000;

/** Time after its end in which work of the agents may still go on, in ms. */
const GRACE_MS = 60_000;

/** Processes of one run, at most. */
const MOST_PROCESSES = 12;

type AnyResult = RunResult<unknown, unknown>;

/** The parts of one simulated run. */
export interface RunParts {
  readonly agent: EvaluatedAgent;
  readonly world: SimulatedWorld;
  readonly store: JournalStore;
  readonly choices: Choices;
  readonly temper: Temper;
  readonly input: Json;
  readonly run: SimulateOptions['run'];
}

/** One run in a simulated world: started, killed and resumed as the world has it, and followed to its end. */
export class SimulatedRun {
  readonly #parts: RunParts;
  readonly #outsiders: Outsiders;
  readonly #random: () => number;
  readonly #earlier: (readonly RuntimeEvent[])[] = [];
  readonly #silent: string[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
    const { world, choices, temper, run } = parts;
    this.#outsiders = new Outsiders(world, { choices, temper });
    if (run?.person !== undefined) this.#outsiders.leavePeople();
    const dice = choices.dice('retries');
    this.#random = () => dice.next();
  }

  async go(): Promise<RunEnd> {
    const { world, choices, temper } = this.#parts;
    const startedAt = world.clock.now();
    world.tell({ by: 'caller', path: this.#parts.agent.name, does: 'starts the run' }, 'input');
    this.#outsiders.call();
    for (let count = 1; ; count += 1) {
      const process = await this.#process(count === 1);
      if (!process.isCut || count === MOST_PROCESSES) {
        world.outside.kill();
        return {
          ...process.end,
          earlier: this.#earlier,
          silent: this.#silent,
          durationMs: process.endedAt - startedAt,
        };
      }
      // One that loses its store tells its observers that the run has ended for it; one that is killed tells them nothing any more.
      if (process.isDead) this.#earlier.push(process.end.events);
      this.#outsiders.follow(undefined);
      const at = `resumption ${count}`;
      const afterMs = choices.take(at, 'afterMs', (dice) =>
        dice.chance(temper.time) ? dice.pick(peoplesDelays) : undefined,
      );
      await this.#pass(afterMs ?? 1);
      world.tell({ by: 'process', path: this.#parts.agent.name, does: 'another one resumes the run' }, at);
    }
  }

  /** Lets time pass while no process has the run. */
  async #pass(ms: number): Promise<void> {
    const { clock, outside } = this.#parts.world;
    const over = new Promise<void>((resolve) => {
      outside.setTimeout(resolve, ms);
    });
    await clock.drive(over, Infinity);
  }

  /** Follows one process until the run ends, the process loses it, or nothing happens any more. */
  async #process(isFirst: boolean): Promise<{
    readonly isCut: boolean;
    readonly isDead: boolean;
    readonly endedAt: number;
    readonly end: Omit<RunEnd, 'earlier' | 'silent' | 'durationMs'>;
  }> {
    const { world } = this.#parts;
    const events: RuntimeEvent[] = [];
    const process = world.begin(events);
    const state: {
      handle?: RunHandle<unknown, unknown>;
      result?: AnyResult | undefined;
      error?: unknown;
      isDead?: boolean;
    } = {};
    const { clock } = world;
    let open = (): void => undefined;
    // What is read while a run is opened takes the time of the platform.
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    void clock.during(() => Promise.race([opened, process.died]));
    const work = async (): Promise<void> => {
      try {
        state.handle = await openRun({ ...this.#parts, random: this.#random }, process, isFirst);
        this.#outsiders.follow(state.handle);
        state.handle.events$.subscribe({
          next: (event) => {
            open();
            if (event.type === 'model.delta' || event.type === 'observer.dropped') return;
            events.push(event);
            this.#note(event);
            this.#outsiders.look();
          },
          error: () => undefined,
        });
        state.result = await settledResult(state.handle.result);
        if (state.result === undefined) await state.handle.result;
      } catch (error) {
        state.error = error;
      } finally {
        open();
      }
    };
    const run = work();
    const died = process.died.then(() => {
      state.isDead = true;
    });
    const isSettled = await clock.drive(
      Promise.race([run, died]),
      clock.now() + LONGEST_MS,
      () => this.#outsiders.isAsked,
    );
    const isCut = isSettled && (state.isDead === true || isLost(state.error, state.result));
    const endedAt = clock.now();
    if (isCut) {
      process.clock.kill();
      return {
        isCut,
        isDead: state.isDead === true,
        endedAt,
        end: {
          ...NOTHING,
          events: [...events],
          result: undefined,
          error: state.error ?? state.result?.error,
        },
      };
    }
    const stuck = isSettled ? undefined : this.#stuckAs(world);
    const waitsFor = this.#outsiders.waitsFor;
    const members = isSettled ? [] : openIn(events);
    const underWay = isSettled ? [] : world.underWay;
    if (!isSettled) {
      world.outside.kill();
      state.handle?.abort('the simulation is over');
      await clock.drive(run, clock.now() + GRACE_MS, () => true);
    }
    const left = await this.#settle(process);
    const { result, error } = state;
    return {
      isCut,
      isDead: false,
      endedAt,
      end: {
        result,
        error,
        events: result?.events ?? events,
        stuck,
        waitsFor,
        open: members,
        underWay,
        ...left,
      },
    };
  }

  /** Notes a member whose time is up although nobody had to answer it; what a resumed run replays was noted before. */
  #note(event: RuntimeEvent): void {
    const { world } = this.#parts;
    const isTimedOut = event.type === 'member.ended' && event.error?.code === 'member.timed-out';
    if (isTimedOut && event.at === world.clock.now() && !world.wasServed(event.path))
      this.#silent.push(event.path);
  }

  #stuckAs({ clock }: SimulatedWorld): RunEnd['stuck'] {
    if (this.#outsiders.isAsked) return 'waiting';
    return clock.hasTimers ? 'endless' : 'hung';
  }

  /** Waits for what the agents have under way; then nothing may be left. */
  async #settle({
    clock,
  }: SimulatedProcess): Promise<Pick<RunEnd, 'stillWorking' | 'leftByRun' | 'leftByAgent'>> {
    const { world } = this.#parts;
    world.outside.kill();
    const isIdle = (): boolean => world.underWay.length === 0;
    if (!isIdle())
      await world.clock.drive(new Promise(() => undefined), world.clock.now() + GRACE_MS, isIdle);
    else await world.clock.drive(Promise.resolve(), world.clock.now());
    const stillWorking = world.underWay;
    const left = {
      stillWorking,
      leftByRun: clock.pending,
      leftByAgent: stillWorking.length > 0 ? [] : world.own.pending,
    };
    clock.kill();
    world.own.kill();
    return left;
  }
}

const NOTHING = { open: [], underWay: [], stillWorking: [], leftByRun: [], leftByAgent: [] };

/** The addresses of members that were engaged and have not ended. */
const openIn = (events: readonly RuntimeEvent[]): readonly string[] => {
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === 'member.engaged') open.add(event.path);
    if (event.type === 'member.ended') open.delete(event.path);
  }
  return [...open];
};
