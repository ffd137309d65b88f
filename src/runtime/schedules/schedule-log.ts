import { randomId } from '../../base/random-id.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { KeyValueFiles } from '../../contracts/conversations/memory.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ScheduleEntry, ScheduleState } from './schedule-state.ts';
import { entrySchema, foldEntry, undefinedSchedule } from './schedule-state.ts';

/** Length of entries from which a log is continued in a new file, in characters. */
const LONGEST = 32_768;
/** Attempts at reading or appending while other processes continue the log in new files. */
const MOST_ATTEMPTS = 20;

/** A file of a log: its text, and the fold of what counts in it. */
interface Part {
  readonly number: number;
  readonly text: string;
  /** Undefined before its first `base`. */
  readonly state: ScheduleState | undefined;
  /** Ids of the entries that count. */
  readonly ids: Set<string>;
  readonly isSealed: boolean;
}

/**
 * The log of one schedule in a store, which any number of processes append to: its order decides what was said first.
 *
 * Named texts can be appended to atomically, and not replaced on a condition. So a log that has grown is continued in a new file:
 *
 * I1 An entry counts if it stands behind the first `base` of its file, and before a `sealed`.
 * I2 A file with a `sealed` is continued in the next, whose `base` is the fold of what counts: it is the same, whichever process appends it.
 * I3 A file is removed once the next but one exists, so the highest is the last. A process that slept meanwhile appends to a file that is not the highest,
 *    and finds that its entry does not count.
 */
export class ScheduleLog {
  readonly #name: string;
  readonly #files: KeyValueFiles;
  #known: Part | undefined;

  constructor(store: Pick<JournalStore, 'files'>, name: string) {
    this.#name = name;
    this.#files = store.files(`schedule ${name}`);
  }

  /** The schedule as of now. */
  async read(): Promise<ScheduleState> {
    return (await this.#last())?.state ?? undefinedSchedule;
  }

  /** Appends an entry, and returns the schedule with it and with all that others appended. */
  async append(entry: ScheduleEntry): Promise<ScheduleState> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const last = await this.#last();
      if (last !== undefined && isLong(last.text)) {
        await this.#append(last.number, { type: 'sealed' });
        continue;
      }
      const number = last?.number ?? 1;
      const id = randomId();
      const base = last?.state === undefined ? lineOf({ type: 'base', state: undefinedSchedule }) : '';
      await this.#files.append(`${number}`, `${base}${lineOf(entry, id)}`);
      const found = await this.#part(number);
      if (found?.ids.has(id) !== true) continue;
      if (found.isSealed) return this.read();
      if ((await this.#highest()) === number) return found.state ?? undefinedSchedule;
    }
    throw new TroupeError(
      'journal.busy',
      `Cannot change the schedule '${this.#name}' as other processes change it all the time: ${MOST_ATTEMPTS} attempts`,
      { retryable: 'yes' },
    );
  }

  /** Removes all of it. */
  async remove(): Promise<void> {
    const numbers = (await this.#files.names()).map(Number).sort((one, other) => one - other);
    // The last one at last: without it, the one before would be continued again.
    for (const number of numbers) await this.#files.remove(`${number}`);
  }

  /** The last part, which is not sealed; undefined if there is none. */
  async #last(): Promise<Part | undefined> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const number = await this.#highest();
      if (number === undefined) return undefined;
      const part = await this.#part(number);
      // Removed meanwhile.
      if (part === undefined) continue;
      if (!part.isSealed) return part;
      await this.#append(number + 1, { type: 'base', state: part.state ?? undefinedSchedule });
      for (const name of await this.#files.names()) if (Number(name) < number) await this.#files.remove(name);
    }
    throw new TroupeError(
      'journal.busy',
      `Cannot read the schedule '${this.#name}' as other processes change it all the time: ${MOST_ATTEMPTS} attempts`,
      { retryable: 'yes' },
    );
  }

  /** One file; only what is new in it is parsed. */
  async #part(number: number): Promise<Part | undefined> {
    const text = await this.#files.read(`${number}`);
    if (text === undefined) return undefined;
    const isLonger = this.#known?.number === number && text.startsWith(this.#known.text);
    this.#known = foldText(
      text,
      isLonger && this.#known !== undefined ? this.#known : emptyPart(number),
      this.#name,
    );
    return this.#known;
  }

  #append(number: number, entry: ScheduleEntry): Promise<void> {
    return this.#files.append(`${number}`, lineOf(entry));
  }

  async #highest(): Promise<number | undefined> {
    const numbers = (await this.#files.names()).map(Number);
    return numbers.length === 0 ? undefined : Math.max(...numbers);
  }
}

/** Checks whether a file is to be continued: what was pending when it was begun, however much, is no reason. */
const isLong = (text: string): boolean => {
  const base = text.indexOf('\n') + 1;
  return text.length - base > Math.max(LONGEST, base);
};

const lineOf = (entry: ScheduleEntry, id?: string): string =>
  `${JSON.stringify(id === undefined ? entry : { ...entry, id })}\n`;

const emptyPart = (number: number): Part => ({
  number,
  text: '',
  state: undefined,
  ids: new Set(),
  isSealed: false,
});

/** Folds what a text has beyond the text before. */
const foldText = (text: string, before: Part, name: string): Part => {
  let { state, isSealed } = before;
  const { number, ids } = before;
  for (const line of text.slice(before.text.length).split('\n').slice(0, -1)) {
    if (isSealed) break;
    const { entry, id } = parseLine(line, name);
    if (state === undefined) {
      if (entry.type === 'base') ({ state } = entry);
    } else if (entry.type === 'sealed') isSealed = true;
    else {
      state = foldEntry(state, entry);
      if (id !== undefined) ids.add(id);
    }
  }
  return { number, text, state, ids, isSealed };
};

const parseLine = (line: string, name: string): { readonly entry: ScheduleEntry; readonly id?: string } => {
  try {
    const given: unknown = JSON.parse(line);
    const id: unknown = typeof given === 'object' && given !== null ? Reflect.get(given, 'id') : undefined;
    const entry = entrySchema().parse(given);
    return typeof id === 'string' ? { entry, id } : { entry };
  } catch (thrown) {
    throw new TroupeError(
      'journal.corrupt',
      `Cannot read the schedule '${name}' as an entry of its log is none: remove the schedule, and add it again`,
      { cause: thrown },
    );
  }
};
