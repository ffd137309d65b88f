import { aFunction, anything, objectWith, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { Listed, UnreadableEntry } from '../../contracts/errors/listed.ts';
import { listWith } from '../../contracts/errors/listed.ts';
import type { Json } from '../../base/json/json.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import type { Summariser } from '../../contracts/conversations/processor.ts';
import type {
  NewThread,
  SaidTurns,
  Thread,
  ThreadEntry,
  ThreadQuery,
  Threads,
  ThreadTurn,
} from '../../contracts/conversations/thread.ts';
import { DEFAULT_SCOPE, ThreadFiles } from './thread-files.ts';
import type { ThreadLines, ThreadMeta } from './thread-text.ts';
import { entryOf } from './thread-text.ts';
import { oneLine } from '../processors/truncate-text.ts';

/** Options of {@link threads}. */
export interface ThreadsOptions {
  /** Namespace, such as the hash of a project: threads of other scopes are invisible. Default `default`. */
  readonly scope?: string | undefined;
  /**
   * Generates the title after the first turns, such as `modelTitle(model)`. Default, and on failure: the first five
   * words. Its cost is not part of any run's totals.
   */
  readonly title?: ((turns: readonly ThreadTurn[]) => string | Promise<string>) | undefined;
  /** Summarises new turns after each append, such as `modelSummariser(model)`. Default: no summaries. */
  readonly summariser?: Summariser | undefined;
  /**
   * Notified of a thread that cannot be read, which `list` and `search` leave out and name, and of a title or a summary that could
   * not be made.
   */
  readonly onProblem?: ((error: unknown, id: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Conversations across runs, stored in files: of a folder, or of a store.
 *
 * A run with threads and a thread's name continues that conversation, and appends its input and answer. Two processes
 * may append to one thread at a time if the files support that (a store's do, a folder's do not).
 *
 * @example
 * const talks = threads(folderStore('./threads'));
 * await clerk.run('My name is Ada.', { thread: 'ada', threads: talks });
 * await clerk.run('What is my name?', { thread: 'ada', threads: talks });
 * (await talks.list()).map(({ title }) => title); // => ['My name is Ada.']
 *
 * @throws {TroupeError} `thread.invalid` for a scope without a name, or an option that is unknown or of another type.
 */
export const threads = (files: KeyValueFiles, options: ThreadsOptions = {}): Threads =>
  new KeptThreads(files, check(options));

const check = optionsCheck<ThreadsOptions>({ code: 'thread.invalid', owner: 'threads' }, () => ({
  scope: anything(),
  title: optional(aFunction()),
  summariser: optional(objectWith(['summarise'], 'not a summariser: write modelSummariser(model)')),
  onProblem: optional(aFunction()),
  clock: optional(objectWith(['now', 'setTimeout', 'clearTimeout'], 'not a clock')),
}));

class KeptThreads implements Threads {
  readonly #files: ThreadFiles;
  readonly #options: ThreadsOptions;
  readonly #clock: Clock;
  /** The last operation on each thread; never rejects. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #making = new Set<Promise<void>>();

  constructor(files: KeyValueFiles, options: ThreadsOptions) {
    const { scope = DEFAULT_SCOPE, clock = systemClock } = options;
    assertNamed(scope, 'keep threads', 'their scope');
    this.#files = new ThreadFiles(files, scope);
    this.#options = options;
    this.#clock = clock;
  }

  create({ id = crypto.randomUUID(), title }: NewThread = {}): Promise<ThreadEntry> {
    return this.#next(id, async () => {
      if ((await this.#files.meta(id)) !== undefined)
        throw problem('thread.exists', `Cannot create the thread '${id}' as it exists already`, id);
      return entryOf(await this.#files.write(this.#begun(id, title)));
    });
  }

  async append(id: string, { runId, turns, states }: SaidTurns): Promise<void> {
    const isNew = await this.#next(id, async () => {
      const meta = (await this.#files.meta(id)) ?? (await this.#files.write(this.#begun(id)));
      const known = await this.#files.lines(id);
      const at = this.#clock.now();
      const isThere = runId !== undefined && known.lines.some((line) => line.runId === runId);
      if (!isThere && turns.length > 0) {
        const run = runId === undefined ? {} : { runId };
        const line = { ...run, turns: turns.map((turn) => ({ ...turn, at })), states };
        await this.#files.append(id, line, known);
      }
      // A process may have died between the two: the entry is brought up to date all the same.
      const [first] = [...turnsOf(known), ...turns];
      const title = meta.title === '' ? titleOf(first?.text ?? '') : meta.title;
      await this.#files.write({ ...meta, title, updatedAt: isThere ? meta.updatedAt : at });
      return !isThere;
    });
    if (isNew) this.#make(id);
  }

  load(id: string): Promise<Thread | undefined> {
    return this.#next(id, async () => {
      const meta = await this.#files.meta(id);
      if (meta === undefined) return undefined;
      const known = await this.#files.lines(id);
      const states = statesOf(known);
      return { ...entryOf(meta), turns: turnsOf(known), ...states, skipped: known.skipped };
    });
  }

  list(query: ThreadQuery = {}): Promise<Listed<ThreadEntry>> {
    return this.#find(query, () => true);
  }

  search(text: string, query: ThreadQuery = {}): Promise<Listed<ThreadEntry>> {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return this.#find(query, async ({ id, title, summary = '' }) => {
      const turns = turnsOf(await this.#files.lines(id)).map((turn) => turn.text);
      const all = [title, summary, ...turns].join('\n').toLowerCase();
      return words.every((word) => all.includes(word));
    });
  }

  rename(id: string, title: string): Promise<void> {
    return this.#change(id, { title: oneLine(title, LONGEST_TITLE), isTitled: true });
  }
  archive(id: string): Promise<void> {
    return this.#change(id, { isArchived: true });
  }
  unarchive(id: string): Promise<void> {
    return this.#change(id, { isArchived: false });
  }
  complete(id: string): Promise<void> {
    return this.#change(id, { isComplete: true });
  }

  remove(id: string): Promise<void> {
    return this.#next(id, () => this.#files.remove(id));
  }

  async settled(): Promise<void> {
    while (this.#making.size > 0) await Promise.all(this.#making);
  }

  #begun(id: string, title?: string): ThreadMeta {
    const now = this.#clock.now();
    return {
      id,
      title: oneLine(title ?? '', LONGEST_TITLE),
      isArchived: false,
      isComplete: false,
      createdAt: now,
      updatedAt: now,
      isTitled: title !== undefined,
      summed: 0,
    };
  }

  #change(id: string, change: Partial<ThreadMeta>): Promise<void> {
    return this.#next(id, async () => {
      const meta = await this.#files.meta(id);
      if (meta === undefined)
        throw problem('thread.unknown', `Cannot change the thread '${id}' as it does not exist`, id);
      await this.#files.write({ ...meta, ...change });
    });
  }

  /** Generates title and summary in the background, if configured. */
  #make(id: string): void {
    const { title, summariser, onProblem } = this.#options;
    if (title === undefined && summariser === undefined) return;
    const made = Promise.allSettled([this.#makeTitle(id), this.#makeSummary(id)]).then((all) => {
      this.#making.delete(made);
      for (const each of all) if (each.status === 'rejected') onProblem?.(each.reason, id);
    });
    this.#making.add(made);
  }

  async #makeTitle(id: string): Promise<void> {
    const { title } = this.#options;
    const meta = await this.#files.meta(id);
    if (title === undefined || meta === undefined || meta.isTitled) return;
    const made = oneLine((await title(turnsOf(await this.#files.lines(id)))).trim(), LONGEST_TITLE);
    if (made === '') return;
    await this.#next(id, async () => {
      const now = await this.#files.meta(id);
      // It may have been renamed or removed meanwhile.
      if (now?.isTitled === false) await this.#files.write({ ...now, title: made, isTitled: true });
    });
  }

  async #makeSummary(id: string): Promise<void> {
    const { summariser } = this.#options;
    const meta = await this.#files.meta(id);
    if (summariser === undefined || meta === undefined) return;
    const turns = turnsOf(await this.#files.lines(id));
    const fresh = turns.slice(meta.summed).map(({ at: _at, runId: _run, status: _status, ...turn }) => turn);
    if (fresh.length === 0) return;
    const request = { previous: meta.summary ?? '', turns: fresh, maxTokens: SUMMARY_TOKENS };
    const { text } = await summariser.summarise(request, new AbortController().signal);
    await this.#next(id, async () => {
      const now = await this.#files.meta(id);
      // Another summary may have been quicker.
      if (now?.summed === meta.summed)
        await this.#files.write({ ...now, summary: text.trim(), summed: turns.length });
    });
  }

  /** Returns matching threads, newest first. */
  async #find(
    { archived = false, limit = Infinity }: ThreadQuery,
    isWanted: (meta: ThreadMeta) => boolean | Promise<boolean>,
  ): Promise<Listed<ThreadEntry>> {
    const { onProblem } = this.#options;
    const found: ThreadEntry[] = [];
    const unreadable: UnreadableEntry[] = [];
    for (const { name, read } of await this.#files.all())
      try {
        const meta = await read();
        if (meta === undefined || (meta.isArchived && !archived)) continue;
        if (await isWanted(meta)) found.push(entryOf(meta));
      } catch (thrown) {
        unreadable.push({ id: name, error: errorData(thrown, 'thread.corrupt') });
        onProblem?.(thrown, name);
      }
    const newest = found.sort((a, b) => b.updatedAt - a.updatedAt || b.createdAt - a.createdAt);
    return listWith(newest.slice(0, limit), unreadable);
  }

  /** Serialises operations on each thread. */
  #next<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(id) ?? Promise.resolve();
    const done = before.then(() => {
      assertNamed(id, 'find a thread', 'its name');
      return work();
    });
    const last = done
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(id) === last) this.#last.delete(id);
      });
    this.#last.set(id, last);
    return done;
  }
}

const LONGEST_TITLE = 80;
const TITLE_WORDS = 5;
const SUMMARY_TOKENS = 200;

const turnsOf = ({ lines }: ThreadLines): readonly ThreadTurn[] => lines.flatMap(({ turns }) => turns);

/** Of each agent the last one. */
const statesOf = ({ lines }: ThreadLines): Pick<Thread, 'states'> => {
  const states = Object.assign({}, ...lines.map((line) => line.states)) as Readonly<Record<string, Json>>;
  return Object.keys(states).length === 0 ? {} : { states };
};

const titleOf = (text: string): string =>
  oneLine(text.trim().split(/\s+/).slice(0, TITLE_WORDS).join(' '), LONGEST_TITLE);

const problem = (code: 'thread.exists' | 'thread.unknown', message: string, thread: string): TroupeError =>
  new TroupeError(code, message, { details: { thread } });

const assertNamed = (name: unknown, work: string, what: string): void => {
  if (typeof name === 'string' && name !== '') return;
  const message = `Cannot ${work} as ${what} is not a non-empty text: ${String(name)}`;
  throw new TroupeError('thread.invalid', message);
};
