import { effect, signal } from '@preact/signals';
import type { SaidInRun, SaidPart } from '../../recording/find-said.ts';
import { runsQuery } from '../state/home.ts';

/** The runs that a search has found so far, with an excerpt each. */
export interface SaidFound {
  readonly runs: ReadonlyMap<string, SaidInRun>;
  readonly isOver: boolean;
}

const NOTHING: SaidFound = { runs: new Map(), isOver: true };

/** The runs in which the words that are looked for were said, as far as they are found. */
export const saidFound = signal<SaidFound>(NOTHING);

/** Fewer letters are in nearly every run. */
const LEAST = 2;
/** Time after the last letter, in ms. */
const PAUSE_MS = 250;

/** Searches in what was said for the words of the table's search, as they change; returns the end of it. */
export const watchSaid = (): (() => void) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let search = new AbortController();
  let before = '';
  const stop = effect(() => {
    const find = runsQuery.value.find.trim();
    if (find === before) return;
    before = find;
    clearTimeout(timer);
    search.abort();
    search = new AbortController();
    const { signal: stopped } = search;
    saidFound.value = { ...NOTHING, isOver: find.length < LEAST };
    if (find.length >= LEAST) timer = setTimeout(() => void searchFor(find, stopped), PAUSE_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
    search.abort();
    saidFound.value = NOTHING;
  };
};

/** Asks for part after part, and shows what was found so far. */
const searchFor = async (find: string, stopped: AbortSignal): Promise<void> => {
  let runs: ReadonlyMap<string, SaidInRun> = new Map();
  let next: string | undefined;
  do {
    const part = await ask(find, next, stopped);
    if (stopped.aborted) return;
    runs = new Map([...runs, ...(part?.found ?? []).map((each) => [each.run, each] as const)]);
    next = part?.next;
    saidFound.value = { runs, isOver: next === undefined };
  } while (next !== undefined);
};

const ask = async (
  find: string,
  after: string | undefined,
  signal: AbortSignal,
): Promise<SaidPart | undefined> => {
  const query = new URLSearchParams({ find, ...(after === undefined ? {} : { run: after }) });
  try {
    const response = await fetch(`/api/said?${query.toString()}`, { signal });
    // Its own server wrote it. A page that was exported has none.
    return response.ok ? ((await response.json()) as SaidPart) : undefined;
  } catch {
    return undefined;
  }
};
