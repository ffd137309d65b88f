import type { JournalStore } from '../../src/contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../src/contracts/conversations/memory.ts';
import { never } from './runs.ts';

/** When a process dies: at its `at`-th write, with that done or not. */
export interface Death {
  readonly at: number;
  readonly isDone: boolean;
}

/** A store as a process sees it that dies in the middle: from then on nothing is done, and nothing answers. */
export const mortalStore = (store: JournalStore, death?: Death) => {
  let writes = 0;
  let isDead = false;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => {
    die = resolve;
  });
  const write = <T>(work: () => T | Promise<T>): T | Promise<T> => {
    if (isDead) return never<T>();
    writes += 1;
    if (writes !== death?.at) return work();
    isDead = true;
    if (death.isDone) void work();
    die();
    return never<T>();
  };
  const read = <T>(work: () => T | Promise<T>): T | Promise<T> => (isDead ? never<T>() : work());
  const later = async <T>(work: () => T | Promise<T>): Promise<T> => work();
  const mortal: JournalStore = {
    name: store.name,
    identity: { holder: crypto.randomUUID(), isGone: () => true },
    create: (entry, wish) => write(() => store.create(entry, wish)),
    acquire: (runId, wish) => write(() => store.acquire(runId, wish)),
    renew: (lease, wish) => read(() => store.renew(lease, wish)),
    release: (lease) => read(() => store.release(lease)),
    leases: () => read(() => store.leases()),
    commit: (lease, commit) => write(() => store.commit(lease, commit)),
    read: (...given) => read(() => store.read(...given)),
    entry: (runId) => read(() => store.entry(runId)),
    list: (query) => read(() => store.list(query)),
    post: (letter) => read(() => store.post(letter)),
    letters: (runId) => read(() => store.letters(runId)),
    ...(store.hold === undefined ? {} : { hold: (...given) => write(() => store.hold?.(...given) ?? []) }),
    prune: (query) => read(() => store.prune(query)),
    files: (room): KeyValueFiles => {
      const files = store.files(room);
      return {
        read: (name) => later(() => read(() => files.read(name))),
        write: (name, text) => later(() => write(() => files.write(name, text))),
        append: (name, text) => later(() => write(() => files.append(name, text))),
        remove: (name) => later(() => write(() => files.remove(name))),
        names: () => later(() => read(() => files.names())),
      };
    },
    close: () => undefined,
  };
  return { store: mortal, died };
};
