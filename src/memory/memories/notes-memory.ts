import { aBound, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type {
  KeyValueFiles,
  Memory,
  MemoryRecord,
  MemorySource,
} from '../../contracts/conversations/memory.ts';
import { memoryKinds } from '../../contracts/conversations/memory.ts';
import { memoryShape, memorySource, type MemoryFile, type MemoryOptions } from './memory-source.ts';
import { memoryText } from './memory-text.ts';

/** The part of its notes that a {@link notesMemory} has in memory. */
export interface NotesMemoryOptions extends MemoryOptions {
  /** Notes in memory; the file keeps all. Default 200. */
  readonly size?: number | undefined;
}

/**
 * Working notes in Markdown that people can read and edit: one line for each record, append-only.
 *
 * Recall ranks by shared words, and by age among equals.
 *
 * @example
 * agent({ name: 'clerk', memory: notesMemory({ files: folderStore('./notes') }) });
 *
 * @throws {TroupeError} `agent.invalid` for an option that is unknown or of another type.
 */
export const notesMemory = (options: NotesMemoryOptions = {}): MemorySource =>
  memorySource('notes', check(options), async (file) => {
    const notes = new Notes(file, options.size ?? 200);
    await notes.load();
    return notes;
  });

const check = optionsCheck<NotesMemoryOptions>({ code: 'agent.invalid', owner: 'a notes memory' }, () => ({
  ...memoryShape(),
  size: optional(aBound(0)),
}));

class Notes implements Memory {
  readonly #files: KeyValueFiles | undefined;
  readonly #name: string;
  readonly #size: number;
  #notes: MemoryRecord[] = [];
  #last: Promise<void> = Promise.resolve();
  #isNew = true;

  constructor({ files, name }: MemoryFile, size: number) {
    this.#files = files;
    this.#name = `${name}.md`;
    this.#size = size;
  }

  async load(): Promise<void> {
    const text = await this.#files?.read(this.#name);
    this.#isNew = text === undefined || text === '';
    this.#notes = (text ?? '').split('\n').flatMap(noteOf);
    this.evict();
  }

  async append(records: readonly MemoryRecord[]): Promise<void> {
    this.#notes.push(...records);
    this.evict();
    const lines = records.map(lineOf).join('');
    await this.#next(async (files) => {
      const start = this.#isNew ? '# Notes\n\n' : '';
      this.#isNew = false;
      await files.append(this.#name, `${start}${lines}`);
    });
  }

  recall(query: string, k = 8): readonly MemoryRecord[] {
    const words = new Set(wordsOf(query));
    return this.#notes
      .map((note, index) => ({
        note,
        index,
        score: wordsOf(note.text).filter((word) => words.has(word)).length,
      }))
      .sort((a, b) => b.score - a.score || b.index - a.index)
      .slice(0, Math.max(0, k))
      .sort((a, b) => a.index - b.index)
      .map(({ note }) => note);
  }

  summarise(k = 5): string {
    return memoryText(k <= 0 ? [] : this.#notes.slice(-k));
  }

  /** From memory only: the file is never shortened. */
  evict(): number {
    const gone = Math.max(0, this.#notes.length - this.#size);
    if (gone > 0) this.#notes = this.#notes.slice(gone);
    return gone;
  }

  async reset(): Promise<void> {
    this.#notes = [];
    this.#isNew = true;
    await this.#next((files) => files.remove(this.#name));
  }

  #next(work: (files: KeyValueFiles) => Promise<void>): Promise<void> {
    const files = this.#files;
    if (files === undefined) return Promise.resolve();
    const done = this.#last.then(() => work(files));
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** Origins stand in brackets behind the agent: `[web.fetch, mail]`. */
const lineOf = ({ kind, at, agent, text, origins = [] }: MemoryRecord): string =>
  `- ${new Date(at).toISOString()} ${kind}${agent === undefined ? '' : ` (${agent})`}${
    origins.length === 0 ? '' : ` [${origins.map(encodeURIComponent).join(', ')}]`
  }: ${text.replace(/(?<!\s)\s*\n\s*/g, ' ⏎ ')}\n`;

const NOTE = /^- (\d{4}-[^ ]+Z) ([a-z]+)(?: \(([\w-]+)\))?(?: \[([^\]]+)\])?: (.*)$/;

/** A line that a person wrote is a note as well. */
const noteOf = (line: string): MemoryRecord[] => {
  const found = NOTE.exec(line);
  const [, when = '', said = '', agent, origins, text = ''] = found ?? [];
  const at = Date.parse(when);
  const kind = memoryKinds.find((each) => each === said);
  if (found === null || kind === undefined || Number.isNaN(at)) {
    const own = line.replace(/^[-*] /, '').trim();
    return own === '' || own.startsWith('#') ? [] : [{ kind: 'note', text: own, at: 0 }];
  }
  return [
    {
      kind,
      at,
      text: text.replaceAll(' ⏎ ', '\n'),
      ...(agent === undefined ? {} : { agent }),
      ...(origins === undefined ? {} : { origins: origins.split(', ').map(plainName) }),
    },
  ];
};

/** A person may have written anything there. */
const plainName = (written: string): string => {
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
};

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [];
