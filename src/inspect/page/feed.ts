import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';
import type { Entry } from '../recording/entry.ts';
import type { Pack } from '../recording/packs/pack.ts';
import { unpack } from '../recording/packs/unpack.ts';
import type { TableauData } from '../recording/tableau.ts';
import { drawInTime } from './chart/drawn-charts.ts';
import {
  beginRecording,
  changes,
  connection,
  embedded,
  filter,
  goTo,
  isExported,
  recorded,
  requests,
  sayingChanges,
  sayings,
  select,
  selected,
  selectRoot,
  session,
  shownFile,
  shownProcess,
  storedRun,
  takeEntry,
  unfollowed,
  unshown,
  wantedPlace,
} from './page-state.ts';
import { openedFiles } from './files/opened-files.ts';
import { scope } from './run-scope.ts';
import type { Deed } from './company/company.ts';
import { company, noteDeed, pageName } from './company/company.ts';
import { goToWantedEvent } from './state/wanted-event.ts';
import type { AskedRequest, Embedded, Session } from './session.ts';

const RETRY_MS = 1_500;
/** Time without entries after which a recording counts as loaded. */
const STILL_MS = 1_000;

let source: EventSource | undefined;
let retry: ReturnType<typeof setTimeout> | undefined;
let frame: number | undefined;
let stillness: ReturnType<typeof setTimeout> | undefined;

/** Loads the list of runs; that of `run`, by default the one that is shown, is among them however old it is. */
export const loadSession = async (run = storedRun.peek()): Promise<boolean> => {
  try {
    const query = new URLSearchParams();
    if (run !== undefined) query.set('run', run);
    const process = shownProcess.peek();
    if (process !== undefined) query.set('process', process);
    const response = await fetch(`/api/session?${query.toString()}`, {
      headers: { accept: 'application/json' },
    });
    if (response.status === 401 || response.status === 403) connection.value = 'refused';
    if (!response.ok) return false;
    // Its own server wrote it.
    session.value = (await response.json()) as Session;
    return true;
  } catch {
    return false;
  }
};

/** Follows the live recording of the server or of another process, or a stored run, from its start. */
export const follow = (run?: string, process?: string): void => {
  shownFile.value = undefined;
  embedded.value = undefined;
  storedRun.value = run;
  shownProcess.value = process;
  requests.value = [];
  select(undefined);
  beginRecording();
  connect();
};

/** Shows the run of an opened file. */
export const showFile = (run: string): void => {
  source?.close();
  source = undefined;
  clearTimeout(retry);
  requests.value = [];
  shownFile.value = run;
  storedRun.value = run;
  shownProcess.value = undefined;
  unshown.value = undefined;
  unfollowed.value = undefined;
  connection.value = 'open';
  select(undefined);
  const found = openedFiles.peek().get(run)?.embedded;
  if (found === undefined) {
    embedded.value = undefined;
    beginRecording();
  } else showRecording(found);
};

const connect = (): void => {
  source?.close();
  clearTimeout(retry);
  connection.value = 'connecting';
  unshown.value = undefined;
  unfollowed.value = undefined;
  const run = storedRun.peek();
  const from = recorded.peek().timeline.length;
  source = new EventSource(run === undefined ? liveAddress(shownProcess.peek(), from) : addressOf(run));
  source.addEventListener('open', () => {
    connection.value = 'open';
  });
  source.addEventListener('base', ({ data }: MessageEvent<string>) => {
    // Sent if the new entries do not follow those held here.
    beginRecording(JSON.parse(data) as TableauData);
  });
  source.addEventListener('entries', ({ data }: MessageEvent<string>) => {
    for (const entry of unpack(JSON.parse(data) as Pack)) {
      takeEntry(entry);
      if (entry.kind === 'chart') drawInTime(entry.shape);
      if (isNews(entry)) renew();
    }
    draw();
  });
  source.addEventListener('delta', ({ data }: MessageEvent<string>) => {
    takeDelta(JSON.parse(data) as DeltaEvent);
  });
  source.addEventListener('requests', ({ data }: MessageEvent<string>) => {
    requests.value = JSON.parse(data) as readonly AskedRequest[];
  });
  source.addEventListener('company', ({ data }: MessageEvent<string>) => {
    company.value = (JSON.parse(data) as { readonly pages: number }).pages;
  });
  source.addEventListener('deed', ({ data }: MessageEvent<string>) => {
    noteDeed(JSON.parse(data) as Deed);
    void loadSession();
  });
  source.addEventListener('session', renew);
  source.addEventListener('problem', ({ data }: MessageEvent<string>) => {
    unfollowed.value = (JSON.parse(data) as ErrorData).message;
  });
  source.addEventListener('error', () => void endSource());
};

/** The address of a live recording: the server's own, or that of another process. */
export const liveAddress = (process: string | undefined, from: number): string =>
  `/api/${process === undefined ? '' : `processes/${process}/`}recording?from=${from}&page=${pageName}`;

/** The address of a stored run's recording. */
export const addressOf = (run: string): string =>
  `/api/stored/${encodeURIComponent(run)}/recording?page=${pageName}`;

/** Shows why the server does not show a stored run; where it does not say, the connection is lost. */
const endSource = async (): Promise<void> => {
  const run = storedRun.peek();
  const ended = source;
  ended?.close();
  const why = run === undefined || recorded.peek().timeline.length > 0 ? undefined : await whyNot(run);
  if (source !== ended) return;
  if (why === undefined) {
    loseSource();
    return;
  }
  unshown.value = why;
  connection.value = 'open';
};

/** The server's message about a run that it does not show: an `EventSource` has no body of a response that failed. */
export const whyNot = async (run: string): Promise<string | undefined> => {
  const asking = new AbortController();
  try {
    const response = await fetch(addressOf(run), { signal: asking.signal });
    if (response.ok || response.status === 401 || response.status === 403) return undefined;
    // Its own server wrote it.
    return ((await response.json()) as { readonly error: { readonly message: string } }).error.message;
  } catch {
    return undefined;
  } finally {
    asking.abort();
  }
};

const loseSource = (): void => {
  source?.close();
  // A stored recording ends when all of it was read.
  if (storedRun.peek() !== undefined && recorded.peek().timeline.length > 0) return;
  connection.value = 'lost';
  clearTimeout(retry);
  retry = setTimeout(() => {
    void loadSession().then((isThere) => {
      if (connection.peek() === 'refused') return;
      if (isThere) connect();
      else loseSource();
    });
  }, RETRY_MS);
};

const takeDelta = ({ key, runId, path, delta }: DeltaEvent): void => {
  const saying = sayings.get(key) ?? { actor: `${runId}/${path}`, text: '', reasoning: '' };
  sayings.set(key, saying);
  if (delta.type === 'text') saying.text += delta.text;
  else if (delta.type === 'reasoning') saying.reasoning += delta.text;
  draw();
};

/** Checks whether an entry changes the list of runs. */
const isNews = (entry: Entry): boolean =>
  entry.kind === 'actor'
    ? entry.parent === undefined
    : entry.kind === 'published' && entry.event.type.startsWith('run.');

let renewal: ReturnType<typeof setTimeout> | undefined;

/** Reloads the list of runs, once for several changes. */
const renew = (): void => {
  renewal ??= setTimeout(() => {
    renewal = undefined;
    void loadSession();
  }, 60);
};

/** Redraws once per frame, however many entries arrive. */
const draw = (): void => {
  frame ??= requestAnimationFrame(() => {
    frame = undefined;
    changes.value += 1;
    sayingChanges.value += 1;
    // Initially selects the first actor of the chosen run.
    if (selected.peek() === undefined) selectRoot(filter.peek().run);
    if (wantedPlace.peek() !== undefined) goToWanted();
    goToWantedEvent();
  });
};

/** Shows a place of the run as soon as it is loaded. */
export const arriveAt = (wanted: number): void => {
  wantedPlace.value = wanted;
  goToWanted();
};

const goToWanted = (): void => {
  clearTimeout(stillness);
  showWanted(false);
  if (wantedPlace.peek() !== undefined) stillness = setTimeout(showWanted, STILL_MS, true);
};

/** Shows the wanted place if it is there. Where all is loaded, and it is not, it is forgotten. */
const showWanted = (isStill: boolean): void => {
  const wanted = wantedPlace.peek();
  const { last, lengthAt } = scope.peek();
  if (wanted === undefined || last === 0) return;
  if (wanted < last || (isStill && wanted === last)) goTo(lengthAt(wanted));
  else if (isStill) wantedPlace.value = undefined;
};

/** Shows the recording that stands in the page itself; false if there is none. */
const showEmbedded = (): boolean => {
  const text = document.getElementById('recording')?.textContent ?? '';
  if (text === '') return false;
  // The exporter wrote it.
  const found = JSON.parse(text) as Embedded;
  const [run] = found.session.runs;
  isExported.value = true;
  session.value = found.session;
  connection.value = 'open';
  storedRun.value = run?.run;
  showRecording(found);
  return true;
};

const showRecording = (found: Embedded): void => {
  embedded.value = found;
  beginRecording(found.base);
  for (const entry of found.entries) {
    takeEntry(entry);
    if (entry.kind === 'chart') drawInTime(entry.shape);
  }
  draw();
};

/** Starts showing what `open` chooses, and keeps the list of runs up to date. */
export const begin = async (open: () => Promise<void>): Promise<void> => {
  const isEmbedded = showEmbedded();
  await open();
  if (isEmbedded || connection.peek() === 'refused') return;
  setInterval(() => {
    if (connection.peek() === 'open') void loadSession();
  }, 3_000);
};
