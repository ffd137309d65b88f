import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { Outcome } from '../../contracts/runs/outcome.ts';
import type { MemorySession } from '../../memory/memories/memory-session.ts';
import type { Clock } from '../../base/clock.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';

/** Longest time that teardown may delay the end of a run, in ms: normally, and after an abort. */
const PATIENCE_MS = 5_000;
const HURRIED_MS = 50;
/** Longest time that hooks may delay a hurried end, in ms: they write the record of it. Otherwise they have their own limits. */
const HURRIED_HOOKS_MS = 1_000;
/** Shorter than the patience above, so that unwritten records are still reported. */
const MEMORY_PATIENCE_MS = 4_000;

/** The calls that teardown needs of a run. */
interface TornDownRun {
  readonly runId: string;
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'write'>;
}

/** Time limits of a wait, in ms. */
interface Patience {
  readonly ms: number;
  readonly hurriedMs: number;
  readonly isHurried: boolean;
}

/**
 * Tears down the toolsets and memories of a run and its members.
 *
 * I1 Toolsets are always torn down; problems are recorded with the toolset's name.
 * I2 One that never returns holds neither the run nor, for long, its end; an abort or the run's deadline shortens the wait, even
 * while it lasts.
 */
export class TearDowns {
  readonly #run: TornDownRun;
  readonly #underWay = new SmallSet<Promise<void>>();
  readonly #memories: MemorySession[] = [];
  #hurry: () => void = () => undefined;
  #last: ((outcome: Outcome) => Promise<void>) | undefined;

  constructor(run: TornDownRun) {
    this.#run = run;
  }

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  /** Registers work to do between the outcome of the run and its last event. Must not reject. */
  beforeEnd(work: (outcome: Outcome) => Promise<void>): void {
    this.#last = work;
  }

  /** Runs the registered work for an outcome, once `whenWritten` calls back. */
  runLast(outcome: Outcome, whenWritten: (go: (isKept: boolean) => void) => void): void {
    const last = this.#last;
    if (last === undefined) return;
    const done = new Promise<void>((resolve) => {
      whenWritten((isKept) => {
        resolve(isKept ? last(outcome) : undefined);
      });
    }).then(() => {
      this.#underWay.delete(done);
    });
    this.#underWay.add(done);
  }

  /** Starts the teardown of an ended actor's toolsets. */
  begin(actor: Actor): void {
    this.#closeMemory(actor);
    const tearing = actor.teardown();
    if (tearing === undefined) return;
    const { runId, log } = this.#run;
    const done = tearing.then((problems) => {
      this.#underWay.delete(done);
      for (const problem of problems) {
        const toolset = toolsetOf(problem);
        const errorId = `${runId}/${actor.path}#end.teardown.${toolset}`;
        const error = { runId, path: actor.path, operation: 'teardown', errorId, ...problem };
        log.write({ type: 'toolset.failed', toolset, error }, actor);
      }
    });
    this.#underWay.add(done);
  }

  /** Closes the memories, which the run's agents share, when the root has ended, which ends last. */
  #closeMemory({ usedMemory, sponsor }: Actor): void {
    if (usedMemory !== undefined) this.#memories.push(usedMemory.session);
    if (sponsor.kind !== 'root' || this.#memories.length === 0) return;
    const all = this.#memories.map((each) => each.close(MEMORY_PATIENCE_MS));
    const done = Promise.all(all).then(() => {
      this.#underWay.delete(done);
    });
    this.#underWay.add(done);
  }

  /** Resolves when all teardowns are done or timed out. */
  settled(isHurried: boolean): Promise<void> {
    return this.#patiently([...this.#underWay], { ms: PATIENCE_MS, hurriedMs: HURRIED_MS, isHurried });
  }

  /** Resolves when the run's hooks have flushed or timed out. */
  flushed(hooks: readonly Promise<unknown>[], isHurried: boolean): Promise<void> {
    return this.#patiently(hooks, { ms: Infinity, hurriedMs: HURRIED_HOOKS_MS, isHurried });
  }

  async #patiently(work: readonly Promise<unknown>[], { ms, hurriedMs, isHurried }: Patience): Promise<void> {
    const { clock } = this.#run;
    let timer: unknown;
    const late = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, isHurried ? hurriedMs : ms);
      if (isHurried) return;
      this.#hurry = () => {
        clock.clearTimeout(timer);
        timer = clock.setTimeout(resolve, hurriedMs);
      };
    });
    await Promise.race([Promise.all(work), late]);
    this.#hurry = () => undefined;
    clock.clearTimeout(timer);
  }

  /** Shortens the current wait, as the run was aborted or its time is up. */
  hurry(): void {
    const hurry = this.#hurry;
    // Once: a repeated abort must not extend the wait.
    this.#hurry = () => undefined;
    hurry();
  }
}

const toolsetOf = ({ details }: ErrorData): string =>
  isJsonObject(details) && typeof details['toolset'] === 'string' ? details['toolset'] : 'unknown';
