import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { ThreadLine, ThreadLines, ThreadMeta } from './thread-text.ts';
import { lineText, metaText, readLines, readMeta } from './thread-text.ts';

/** The files of the threads of one scope: for each a small one that is rewritten, and one that is append-only. */
export class ThreadFiles {
  readonly #files: KeyValueFiles;
  readonly #scope: string;

  constructor(files: KeyValueFiles, scope: string) {
    this.#files = files;
    this.#scope = scope;
  }

  /** The name of the file with the turns of a thread. */
  turnsOf(id: string): Promise<string> {
    return this.#nameOf(id, TURNS);
  }

  /** @throws `thread.version`, `thread.corrupt` */
  async meta(id: string): Promise<ThreadMeta | undefined> {
    return this.#read(await this.#nameOf(id, META), id);
  }

  /** @throws `thread.version` */
  async lines(id: string): Promise<ThreadLines> {
    return readLines((await this.#files.read(await this.#nameOf(id, TURNS))) ?? '', id);
  }

  async write(meta: ThreadMeta): Promise<ThreadMeta> {
    await this.#files.write(await this.#nameOf(meta.id, META), metaText(meta));
    return meta;
  }

  /** Appends a line, `after` the existing text. */
  async append(id: string, line: ThreadLine, { isCut }: ThreadLines): Promise<void> {
    const text = lineText(line);
    await this.#files.append(await this.#nameOf(id, TURNS), isCut ? `\n${text}` : text);
  }

  async remove(id: string): Promise<void> {
    // Turns without an entry would reappear in the next thread of that name.
    await this.#files.remove(await this.#nameOf(id, TURNS));
    await this.#files.remove(await this.#nameOf(id, META));
  }

  /** Each thread of the scope, to be read; what it is known by until then is a part of its file's name. */
  async all(): Promise<
    readonly { readonly name: string; readonly read: () => Promise<ThreadMeta | undefined> }[]
  > {
    const start = `${await partOf(this.#scope)}/`;
    const names = await this.#files.names();
    return names
      .filter((file) => file.startsWith(start) && file.endsWith(META) && file.split('/').length === 3)
      .map((file) => {
        const name = file.slice(start.length, -META.length);
        return { name, read: () => this.#read(file, name) };
      });
  }

  async #read(file: string, id: string): Promise<ThreadMeta | undefined> {
    const text = await this.#files.read(file);
    return text === undefined ? undefined : readMeta(text, id);
  }

  async #nameOf(id: string, ending: string): Promise<string> {
    return `${await partOf(this.#scope)}/${await partOf(id)}${ending}`;
  }
}

/** The scope of threads that are in none. */
export const DEFAULT_SCOPE = 'default';

const META = '/thread.json';
const TURNS = '/turns.jsonl';

/** Names valid in any file system, and not too long. */
const PLAIN = /^[a-z0-9][a-z0-9._-]{0,59}$/;

/** Encodes a name as part of a file name: unchanged if it is plain, else a hash. */
const partOf = async (name: string): Promise<string> => {
  if (PLAIN.test(name)) return name;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name));
  const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `~${hex.slice(0, 40)}`;
};
