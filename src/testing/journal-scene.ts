import type {
  EntryChange,
  JournalRow,
  JournalStore,
  LeaseWish,
  Letter,
  RunEntry,
} from '../contracts/journals/journal.ts';
import { lawChecks } from './law-checks.ts';

/** Assertions of the laws. */
export const { asBroken, fails, same } = lawChecks('journal.failed', 'store');

/** The setting of a law. */
export interface Scene {
  readonly store: JournalStore;
  /** The same store, opened a second time where that can be done. */
  readonly other: () => Promise<JournalStore>;
}

/** Names a law. */
export const law = (name: string, holds: (scene: Scene) => Promise<void>): SceneLaw => ({ name, holds });

/** A condition on a scene. */
export interface SceneLaw {
  readonly name: string;
  readonly holds: (scene: Scene) => Promise<void>;
}

/** The entry of a run. */
export const entry = (runId: string, rest: Partial<RunEntry> = {}): RunEntry => ({
  runId,
  agent: 'clerk',
  status: 'running',
  title: 'Add up',
  createdAt: 1000,
  updatedAt: 1000,
  ...rest,
});

/** Returns a lease request for 500 ms. */
export const wish = (holder: string, now = 1000, rest: Partial<LeaseWish> = {}): LeaseWish => ({
  holder,
  ttlMs: 500,
  now,
  ...rest,
});

/** Rows of those texts, numbered from `from`. */
export const rows = (from: number, ...texts: readonly string[]): readonly JournalRow[] =>
  texts.map((text, index) => ({ n: from + index, text }));

/** Returns the entry change of a commit. */
export const change = (rest: Partial<EntryChange> = {}): EntryChange => ({
  status: 'running',
  updatedAt: 2000,
  ...rest,
});

/** A letter whose text is its id. */
export const letter = (id: string, runId = 'r', text = `"${id}"`): Letter => ({ id, runId, at: 1500, text });

/** The runs of a list, in its order. */
export const idsOf = async (listed: ReturnType<JournalStore['list']>): Promise<readonly string[]> =>
  (await listed).map(({ runId }) => runId);

/** Texts that databases and their drivers may corrupt. */
export const HARD = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud83d',
  '🙂',
  'ä\u0301',
  '\u0001\u00010000',
  '\r\n',
  "';--",
  '\uffff',
];
