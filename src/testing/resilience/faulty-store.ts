import { randomId } from '../../base/random-id.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { Fault } from './fault.ts';

/**
 * A store as a process sees it, whose `at`-th write goes wrong: it fails, its lease is lost, or the process dies, which then has no answer to
 * anything. It counts its writes.
 */
export class FaultyStore {
  readonly #store: JournalStore;
  readonly #fault: Fault | undefined;
  readonly #onFault: () => void;
  #die: () => void = () => undefined;
  #isDead = false;
  writes = 0;
  /** Resolves when the process is killed. */
  readonly died: Promise<void>;

  constructor(store: JournalStore, fault?: Fault, onFault: () => void = () => undefined) {
    this.#store = store;
    this.#fault = fault;
    this.#onFault = onFault;
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
    return this.#isDead ? never<T>() : work();
  }

  #write<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.#isDead) return never<T>();
    this.writes += 1;
    const { kind, at = 0 } = this.#fault ?? {};
    const isNow = kind === 'store-down' ? this.writes >= at : this.writes === at;
    if (!isNow) return work();
    switch (kind) {
      case 'store-fails':
      case 'store-down':
        this.#onFault();
        throw new TroupeError('journal.failed', 'Cannot write to the store as the disk is full (injected)');
      case 'lease-lost':
        this.#onFault();
        throw new TroupeError(
          'journal.fenced',
          'Cannot write to the store as another process has the run (injected)',
        );
      case 'killed-before':
      case 'killed-after':
        this.#onFault();
        this.#isDead = true;
        if (kind === 'killed-after') void work();
        this.#die();
        return never<T>();
      default:
        return work();
    }
  }
}

const never = <T>(): Promise<T> => new Promise(() => undefined);
