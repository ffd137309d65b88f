import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { Arrival } from '../../../contracts/journals/journal-record.ts';
import type { MemoryRecord } from '../../../contracts/conversations/memory.ts';
import type { MemoryWriting } from '../../../memory/memories/memory-session.ts';
import type { MemoryKeeper, Rememberer } from '../../actors/agent-memory.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { JournalClock } from './journal-clock.ts';
import type { Scope } from './scope.ts';

/** The calls that this needs of a journal. */
interface Journal {
  arrive(scope: Scope | undefined, arrival: Arrival): number;
  end(tell: () => void): void;
}

/** A write that is deferred until the replay has passed its record. */
interface Held {
  readonly scope: Scope;
  readonly say: (writing: MemoryWriting) => void;
}

/**
 * Coordinates the memory writes of a run with its journal.
 *
 * I1 A memory is written only after the intent to write, and everything that led to it, is committed: whatever a resumed run
 * does differently was never remembered.
 * I2 The write is recorded afterwards. A write without a record may have happened: it is repeated, and leaves out records that
 * the memory already has.
 */
export class MemoryWrites implements MemoryKeeper {
  readonly #journal: Journal;
  readonly #run: JournaledRun;
  readonly #journalClock: JournalClock;
  /** Writes of scopes that are being replayed, by key. */
  readonly #held = new Map<string, Held>();
  readonly #writing = new Set<string>();

  constructor(journal: Journal, run: JournaledRun, journalClock: JournalClock) {
    this.#journal = journal;
    this.#run = run;
    this.#journalClock = journalClock;
  }

  when(actor: Rememberer, key: string, records: readonly MemoryRecord[]): Promise<MemoryWriting> {
    const { scope, path } = actor;
    const short = this.#short(key);
    if (scope.rerun !== undefined)
      return new Promise((say) => {
        this.#held.set(short, { scope, say });
      });
    const intent = { type: 'remembering', key: short, path } as const;
    const isMachines = this.#journalClock.inside !== undefined;
    // Recorded with the records, before the answer of the effect: a replay repeats machines, but not effects.
    if (!isMachines) this.#journal.arrive(scope, { ...intent, records });
    this.#writing.add(short);
    return new Promise((say) => {
      // Not within a job: nothing arrives there, and observers only see what is committed.
      queueMicrotask(() => {
        if (isMachines && !this.#run.isLost) this.#journal.arrive(scope, intent);
        this.#journal.end(() => {
          say(this.#run.isLost ? 'no' : 'yes');
        });
      });
    });
  }

  done({ scope }: Rememberer, key: string): void {
    const short = this.#short(key);
    const isOver = this.#run.isLost || this.#run.ending !== undefined;
    if (this.#writing.delete(short) && !isOver)
      this.#journal.arrive(scope, { type: 'remembered', key: short });
  }

  /** Applies a recorded arrival. */
  met(arrival: Arrival): void {
    if (arrival.type === 'remembering' && arrival.records !== undefined)
      this.#run.remember(arrival.path, arrival.key, arrival.records);
    if (arrival.type !== 'remembered') return;
    this.#held.get(arrival.key)?.say('no');
    this.#held.delete(arrival.key);
  }

  /** Settles deferred writes at the end of a scope's records; `isGoneOn` if the run continues there as itself, not as a fork. */
  settle(scope: Scope, isGoneOn: boolean): void {
    for (const [key, { scope: of, say }] of this.#held) {
      if (of !== scope) continue;
      this.#held.delete(key);
      // An ended run has awaited its memory writes, so none are left.
      const isWanted = isGoneOn && this.#run.ending === undefined;
      if (isWanted) this.#writing.add(key);
      say(isWanted ? 'again' : 'no');
    }
  }

  #short(key: string): string {
    return keyInRun({ key, runId: this.#run.runId });
  }
}
