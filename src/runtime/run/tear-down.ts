import type { ErrorData } from '../../contracts/error.ts';
import { isJsonObject } from '../../contracts/json.ts';
import type { Outcome } from '../../contracts/run.ts';
import type { MemorySession } from '../../memory/memory-session.ts';
import type { Clock } from '../../contracts/clock.ts';
import { SmallSet } from '../../contracts/small-set.ts';
import type { Actor } from '../actors/actor.ts';
import type { EventLog } from '../log/event-log.ts';

/** The time that tearing down may hold the end of a run, in ms: after a normal end, and after an abort. */
const PATIENCE_MS = 5_000;
const HURRIED_MS = 50;
/** The time that hooks may hold an end that is hurried, in ms: what they keep is the record of it. Else they have their own time. */
const HURRIED_HOOKS_MS = 1_000;
/** Less than that, so that what was not written is told of. */
const MEMORY_PATIENCE_MS = 4_000;

/** What tearing down needs of a run. */
interface TornDownRun {
  readonly runId: string;
  readonly clock: Clock;
  readonly log: Pick<EventLog, 'write'>;
}

/** The time that an end waits, in ms. */
interface Patience {
  readonly ms: number;
  readonly hurriedMs: number;
  readonly isHurried: boolean;
}

/**
 * The tearing down of a run's toolsets and memories, its members' included.
 *
 * I1  Toolsets are always torn down; what goes wrong is on record, with whose they were.
 * I2  One that never comes back holds neither the run, nor for long its end; an abort hurries it, also a late one, as does the
 *     run's deadline.
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

  /** Has something done once it is known what the run came to, and before its last event. Never rejects. */
  beforeEnd(work: (outcome: Outcome) => Promise<void>): void {
    this.#last = work;
  }

  /** The run has come to this: has done what waited for it, as soon as `whenWritten` says so. */
  cameTo(outcome: Outcome, whenWritten: (go: (isKept: boolean) => void) => void): void {
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

  /** Begins to let go of the toolsets of an actor that is over. */
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

  /** Memories of a run are shared by its agents: they are let go of when the root, which ends last, is over. */
  #closeMemory({ usedMemory, sponsor }: Actor): void {
    if (usedMemory !== undefined) this.#memories.push(usedMemory.session);
    if (sponsor.kind !== 'root' || this.#memories.length === 0) return;
    const all = this.#memories.map((each) => each.close(MEMORY_PATIENCE_MS));
    const done = Promise.all(all).then(() => {
      this.#underWay.delete(done);
    });
    this.#underWay.add(done);
  }

  /** Resolves when all that was begun is through, or has taken too long. */
  settled(isHurried: boolean): Promise<void> {
    return this.#patiently([...this.#underWay], { ms: PATIENCE_MS, hurriedMs: HURRIED_MS, isHurried });
  }

  /** Resolves when the hooks of the run have passed on what they kept, or have taken too long. */
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

  /** The run was aborted, or its time is up, while it waits for its toolsets or hooks. */
  hurry(): void {
    const hurry = this.#hurry;
    // Once: an abort that is repeated must not put the end off.
    this.#hurry = () => undefined;
    hurry();
  }
}

const toolsetOf = ({ details }: ErrorData): string =>
  isJsonObject(details) && typeof details['toolset'] === 'string' ? details['toolset'] : 'unknown';
