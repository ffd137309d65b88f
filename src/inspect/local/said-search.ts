import type { LiveEvent } from '../../contracts/events/event.ts';
import type { JournalStore, RunEntry } from '../../contracts/journals/journal.ts';
import type { Entry } from '../recording/entry.ts';
import type { SaidInRun, SaidPart } from '../recording/find-said.ts';
import { findSaid } from '../recording/find-said.ts';
import { storedEvents } from './stored-events.ts';

/** The places that are searched: the recording of the runs of this process, and a store. */
export interface SaidSources {
  /** Lines of the recording. */
  readonly lines: () => Iterable<string>;
  readonly store: JournalStore | undefined;
}

/** The longest excerpt, and what of it may stand before the words, in characters. */
const EXCERPT = 200;
const BEFORE = 40;
/** The time after which a part ends, in ms. */
const PART_MS = 300;
/** Lines of a recording that are searched at once. */
const AT_ONCE = 2_000;

/**
 * Finds the runs in which all words were said at once, in a message, a text of a model, a call, its result or an error; the runs of this
 * process first, then those of the store, the newest first.
 *
 * The search is made in parts of a moment each, so that who asks sees what was found so far, and can stop it.
 */
export const searchSaid = async (
  { lines, store }: SaidSources,
  find: string,
  after?: string,
): Promise<SaidPart> => {
  const words = wordsOf(find);
  if (words.length === 0) return { found: [] };
  const found = new Map<string, SaidInRun>();
  if (after === undefined) await searchLines(lines(), words, found);
  const until = performance.now() + PART_MS;
  const entries = (await store?.list()) ?? [];
  const from = entries.findIndex(({ runId }) => runId === after) + 1;
  for (const entry of entries.slice(from)) {
    const hit = store && (await searchRun(store, entry, words));
    if (hit !== undefined && !found.has(hit.run)) found.set(hit.run, hit);
    // A store may answer at once: the runs of this process work in between.
    await new Promise((resolve) => setImmediate(resolve));
    if (performance.now() > until && entry !== entries.at(-1))
      return { found: [...found.values()], next: entry.runId };
  }
  return { found: [...found.values()] };
};

/** The words that are looked for, in lower case. */
export const wordsOf = (find: string): readonly string[] =>
  find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');

const searchLines = async (
  lines: Iterable<string>,
  words: readonly string[],
  found: Map<string, SaidInRun>,
): Promise<void> => {
  // As they stand in JSON.
  const written = words.map((word) => JSON.stringify(word).slice(1, -1));
  let count = 0;
  for (const line of lines) {
    count += 1;
    if (count % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    const lower = line.toLowerCase();
    if (!written.every((word) => lower.includes(word))) continue;
    // The recording wrote it.
    const entry = JSON.parse(line) as Entry;
    const hit = entry.kind === 'published' ? searchEvent(entry.event, words) : undefined;
    if (hit !== undefined && !found.has(hit.run)) found.set(hit.run, hit);
  }
};

const searchRun = async (
  store: JournalStore,
  { runId }: RunEntry,
  words: readonly string[],
): Promise<SaidInRun | undefined> => {
  try {
    for await (const { events } of storedEvents(store, runId))
      for (const event of events) {
        const hit = searchEvent(event, words);
        if (hit !== undefined) return hit;
      }
  } catch {
    // In a journal that cannot be read nothing is found; looking at the run says why.
  }
  return undefined;
};

const searchEvent = (event: LiveEvent, words: readonly string[]): SaidInRun | undefined => {
  const texts = findSaid(event);
  const lower = texts.map((text) => text.toLowerCase());
  if (!words.every((word) => lower.some((text) => text.includes(word)))) return undefined;
  const [first = ''] = words;
  const index = lower.findIndex((text) => text.includes(first));
  const at = Math.max(0, (lower[index]?.indexOf(first) ?? 0) - BEFORE);
  const text = texts[index]?.slice(at, at + EXCERPT) ?? '';
  return { run: event.runId, who: event.agent, text: at > 0 ? `…${text}` : text };
};
