import type { FSWatcher } from 'node:fs';
import { existsSync, statSync, watch } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isScript } from '../load-agent.ts';

/** The time in ms in which several changes are one: editors write a file in steps. */
const TOGETHER_MS = 100;

/** The files of a project that a program has imported, and their changes. */
export class ImportedFiles {
  readonly #root: string;
  readonly #onChange: (file: string) => void;
  /** By file, the sign of what was in it. */
  readonly #signs = new Map<string, string>();
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;
  /** True while the program cannot be loaded: what it lacks may come in any script beside its files. */
  isLacking = false;

  constructor(file: string, onChange: (file: string) => void) {
    this.#root = projectOf(file);
    this.#onChange = onChange;
    this.add(file);
  }

  /** Watches a file, if it is the project's own. */
  add(file: string): void {
    if (!file.startsWith(`${this.#root}${sep}`) || file.includes(`${sep}node_modules${sep}`)) return;
    if (!this.#signs.has(file)) this.#signs.set(file, signOf(file));
    const folder = dirname(file);
    if (this.#watchers.has(folder)) return;
    try {
      // The folder, as an editor may replace the file.
      const watcher = watch(folder, (_, name) => {
        this.#look(folder, name);
      });
      watcher.on('error', () => {
        watcher.close();
      });
      this.#watchers.set(folder, watcher);
    } catch {
      // A folder that cannot be watched changes nothing about the others.
    }
  }

  /** All that are watched, the newest first. */
  get all(): readonly string[] {
    return [...this.#signs.keys()].toReversed();
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
  }

  #look(folder: string, name: string | null): void {
    const own = [...this.#signs.keys()].filter((file) => dirname(file) === folder);
    const changed = own.find((file) => signOf(file) !== this.#signs.get(file));
    const isNew = this.isLacking && name !== null && isScript(name) && existsSync(join(folder, name));
    const file = changed ?? (isNew ? join(folder, name) : undefined);
    if (file === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      for (const each of this.#signs.keys()) this.#signs.set(each, signOf(each));
      this.#onChange(file);
    }, TOGETHER_MS);
  }
}

/** The folder of a file's project: that with its `package.json`, else its own. */
const projectOf = (file: string): string => {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return dirname(file);
  }
};

const signOf = (file: string): string => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeMs} ${found.size}`;
};
