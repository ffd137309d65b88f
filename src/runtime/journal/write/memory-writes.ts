import { keyInRun } from '../../../contracts/effect.ts';
import type { Arrival } from '../../../contracts/journal-record.ts';
import type { MemoryRecord } from '../../../contracts/memory.ts';
import type { MemoryWriting } from '../../../memory/memory-session.ts';
import type { MemoryKeeper, Rememberer } from '../../actors/agent-memory.ts';
import type { JournaledRun } from '../resume/journaled-run.ts';
import type { Moment } from './moment.ts';
import type { Scope } from './scope.ts';

/** What is needed of a journal. */
interface Journal {
  arrive(scope: Scope | undefined, arrival: Arrival): number;
  end(tell: () => void): void;
}

/** A write that waits to be told what the journal knows of it. */
interface Held {
  readonly scope: Scope;
  readonly say: (writing: MemoryWriting) => void;
}

/**
 * What a run writes to its memories, as far as its journal is concerned.
 *
 * I1  A memory is written to when it is committed that it will be, and so all that it follows from: what a run that is taken up
 *     again does otherwise was never remembered.
 * I2  That it was written is recorded after. A write that is not on record may have happened: it is done again, and leaves
 *     out what the memory has.
 */
export class MemoryWrites implements MemoryKeeper {
  readonly #journal: Journal;
  readonly #run: JournaledRun;
  readonly #moment: Moment;
  /** Of scopes that are gone through again, by key. */
  readonly #held = new Map<string, Held>();
  readonly #writing = new Set<string>();

  constructor(journal: Journal, run: JournaledRun, moment: Moment) {
    this.#journal = journal;
    this.#run = run;
    this.#moment = moment;
  }

  when(actor: Rememberer, key: string, records: readonly MemoryRecord[]): Promise<MemoryWriting> {
    const { scope, path } = actor;
    const short = this.#short(key);
    if (scope.rerun !== undefined)
      return new Promise((say) => {
        this.#held.set(short, { scope, say });
      });
    const intent = { type: 'remembering', key: short, path } as const;
    const isMachines = this.#moment.inside !== undefined;
    // A machine makes them again; an effect that is answered from the journal does not: they come before its answer.
    if (!isMachines) this.#journal.arrive(scope, { ...intent, records });
    this.#writing.add(short);
    return new Promise((say) => {
      // Not within a job: nothing arrives there, and observers are told of what is committed.
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

  /** Something of the journal is met again. */
  met(arrival: Arrival): void {
    if (arrival.type === 'remembering' && arrival.records !== undefined)
      this.#run.remember(arrival.path, arrival.key, arrival.records);
    if (arrival.type !== 'remembered') return;
    this.#held.get(arrival.key)?.say('no');
    this.#held.delete(arrival.key);
  }

  /** The journal has no more of a scope; `isGoneOn` if the run goes on from there, as the one that it was. */
  settle(scope: Scope, isGoneOn: boolean): void {
    for (const [key, { scope: of, say }] of this.#held) {
      if (of !== scope) continue;
      this.#held.delete(key);
      // What was remembered is waited for at the end of a run: one that is over has nothing left to write.
      const isWanted = isGoneOn && this.#run.ending === undefined;
      if (isWanted) this.#writing.add(key);
      say(isWanted ? 'again' : 'no');
    }
  }

  #short(key: string): string {
    return keyInRun({ key, runId: this.#run.runId });
  }
}
