import { randomId } from '../../base/random-id.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { FaultKind } from './fault.ts';

/** Decides which fault strikes the `count`-th write. */
export type WriteFaults = (count: number) => FaultKind | undefined;

/** Holds the time while a store is at work. */
type Hold = <T>(work: Promise<T>) => Promise<T>;

/**
 * A store as a process sees it, whose writes may go wrong: one fails, its lease is lost, or the process dies, which then has no answer to
 * anything. It counts its writes.
 */
export class FaultyStore {
  readonly #store: JournalStore;
  readonly #faults: WriteFaults;
  readonly #hold: Hold;
  #die: () => void = () => undefined;
  #isDead = false;
  writes = 0;
  /** Resolves when the process is killed. */
  readonly died: Promise<void>;

  constructor(store: JournalStore, faults: WriteFaults = () => undefined, hold: Hold = (work) => work) {
    this.#store = store;
    this.#faults = faults;
    this.#hold = hold;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  /** The store of one process: holders of leases that it does not know are gone, as they are here. */
  asProcess(): JournalStore {
    const store = this.#store;
    return {
      name: store.name,
      identity: { holder: randomId(), isGone: () => true },
      create: (entry, wish) => this.#write(() => store.create(entry, wish)),
      acquire: (runId, wish) => this.#write(() => store.acquire(runId, wish)),
      renew: (lease, wish) => this.#read(() => store.renew(lease, wish)),
      release: (lease) => this.#read(() => store.release(lease)),
      leases: () => this.#read(() => store.leases()),
      commit: (lease, commit) => this.#write(() => store.commit(lease, commit)),
      read: (...given) => this.#read(() => store.read(...given)),
      entry: (runId) => this.#read(() => store.entry(runId)),
      list: (query) => this.#read(() => store.list(query)),
      post: (letter) => this.#read(() => store.post(letter)),
      letters: (runId) => this.#read(() => store.letters(runId)),
      hold: (...given) => this.#read(() => store.hold?.(...given) ?? []),
      prune: (query) => this.#read(() => store.prune(query)),
      files: (room) => this.#files(store.files(room)),
      close: () => undefined,
    };
  }

  #files(files: KeyValueFiles): KeyValueFiles {
    const later = async <T>(work: () => T | Promise<T>): Promise<T> => work();
    return {
      read: (name) => later(() => this.#read(() => files.read(name))),
      write: (name, text) => later(() => this.#read(() => files.write(name, text))),
      append: (name, text) => later(() => this.#read(() => files.append(name, text))),
      remove: (name) => later(() => this.#read(() => files.remove(name))),
      names: () => later(() => this.#read(() => files.names())),
    };
  }

  #read<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.#isDead ? never<T>() : this.#held(work);
  }

  /** Work of a store that answers at once is not waited for. */
  #held<T>(work: () => T | Promise<T>): T | Promise<T> {
    const given = work();
    return isThenable(given) ? this.#hold(Promise.resolve(given)) : given;
  }

  #write<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#isDead) return never<T>();
    this.writes += 1;
    const kind = this.#faults(this.writes);
    switch (kind) {
      case 'store-fails':
      case 'store-down':
        throw new TroupeError('journal.failed', 'Cannot write to the store as the disk is full (injected)');
      case 'lease-lost':
        throw new TroupeError(
          'journal.fenced',
          'Cannot write to the store as another process has the run (injected)',
        );
      case 'killed-before':
      case 'killed-after':
        this.#isDead = true;
        if (kind === 'killed-after') void work();
        this.#die();
        return never<T>();
      default:
        return this.#held(work);
    }
  }
}

const never = <T>(): Promise<T> => new Promise(() => undefined);
