import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';

/** The messages of one queue that have not become runs, beside its log: the log has their order. */
export class QueuedMessages {
  readonly #files: KeyValueFiles;

  constructor(store: Pick<JournalStore, 'files'>, name: string) {
    this.#files = store.files(`schedule messages ${name}`);
  }

  write(id: string, message: Json): Promise<void> {
    return this.#files.write(id, JSON.stringify(message));
  }

  /** The message; undefined once its run has ended. */
  async read(id: string): Promise<Json | undefined> {
    const text = await this.#files.read(id);
    return text === undefined ? undefined : toJson(JSON.parse(text));
  }

  remove(id: string): Promise<void> {
    return this.#files.remove(id);
  }

  /** Removes all of them. */
  async clear(): Promise<void> {
    for (const id of await this.#files.names()) await this.#files.remove(id);
  }
}
