import { computed, signal } from '@preact/signals';
import type { ActorFilter } from './actor-tree.ts';
import { Folds } from './folds/folds.ts';
import type { Marker } from './markers.ts';
import { markerOf } from './markers.ts';
import { noteRefusal } from './refusals.ts';
import type { AskedRequest, Embedded, Session, SessionRun } from './session.ts';
import { Sequence } from '../recording/sequence.ts';
import { Timeline } from './timeline.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import type { BreakEntry, Entry } from '../recording/entry.ts';
import type { TableauData } from '../recording/tableau.ts';

/** A tab of the middle, and of the side. */
export type MiddleView = 'work' | 'chart' | 'sequence' | 'events' | 'time' | 'cost' | 'errors';
export type SideView = 'transcript' | 'context' | 'breakpoints' | 'run';
/** The conversation that is shown: that of the actor with all below it, or its own. */
export type ThreadChoice = 'team' | 'agent';
export type EffectChoice = ActorFilter['withEffects'];

/** State of the page's connection to its server. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

/** The recording so far. */
interface Recorded {
  readonly timeline: Timeline;
  readonly sequence: Sequence;
  readonly markers: Marker[];
  readonly folds: Folds;
}

const nothingRecorded = (base?: TableauData): Recorded => ({
  timeline: new Timeline(base),
  sequence: new Sequence(),
  markers: [],
  folds: new Folds(base),
});

/** Text that a model is streaming. */
export interface Saying {
  readonly actor: string;
  text: string;
  reasoning: string;
}

export const session = signal<Session | undefined>(undefined);
export const connection = signal<Connection>('connecting');
/** The stored run being viewed; undefined: the live recording. */
export const storedRun = signal<string | undefined>(undefined);
/** The other process whose live recording is shown, by its id; undefined: the server's own. */
export const shownProcess = signal<string | undefined>(undefined);
/** The server's reason not to show the stored run that was chosen. */
export const unshown = signal<string | undefined>(undefined);
/** The reason why the stored run that is shown is not followed any further. */
export const unfollowed = signal<string | undefined>(undefined);
/** True for an exported page, which has one recording in it, and no server. */
export const isExported = signal(false);
/** The run of the opened file that is shown, if one is. */
export const shownFile = signal<string | undefined>(undefined);
/** The recording that is shown, if it is that of an exported page or of a file. */
export const embedded = signal<Embedded | undefined>(undefined);
export const requests = signal<readonly AskedRequest[]>([]);
export const recorded = signal<Recorded>(nothingRecorded());
/** Counts changes, as recordings are mutated in place. */
export const changes = signal(0);
export const sayings = new Map<string, Saying>();
export const sayingChanges = signal(0);

/** Number of entries shown; undefined: all, live. */
export const place = signal<number | undefined>(undefined);
/** The place of the run that is to be shown as soon as it is loaded. */
export const wantedPlace = signal<number | undefined>(undefined);
/** The number of the event of the run that is to be shown as soon as it is loaded. */
export const wantedEvent = signal<number | undefined>(undefined);
export const speed = signal(1);
export const isPlaying = signal(false);
export const selected = signal<string | undefined>(undefined);
/** The call to be scrolled to in the transcript. */
export const pointedAt = signal<string | undefined>(undefined);
export const middleTab = signal<MiddleView>('chart');
export const sideTab = signal<SideView>('transcript');
export const thread = signal<ThreadChoice>('team');
/** True if what was said is shown as it is written, not as Markdown. */
export const isVerbatim = signal(false);
/** The measure of the view Cost. */
export const measure = signal<'ms' | 'tokens' | 'costUsd'>('costUsd');
/** Breakpoints at which playback stops. */
export const stops = signal<readonly Breakpoint[]>([]);
export const isHelpShown = signal(false);
/** Breakpoints at which runs are currently paused, by run. */
const heldRuns = signal<ReadonlyMap<string, BreakEntry>>(new Map());
/** The error of the last command. */
export const complaint = signal<string | undefined>(undefined);

export const filter = signal<ActorFilter>({
  text: '',
  run: undefined,
  withEffects: 'open',
  onlyActive: false,
  collapsed: new Set(),
});

/** The tableau as shown. It is mutated in place, so depend on this signal. */
export const shown = computed(() => {
  const { timeline } = recorded.value;
  const isLive = place.value === undefined;
  // New entries do not change a past view.
  const change = isLive ? changes.value : 0;
  const length = Math.min(place.value ?? timeline.length, timeline.length);
  return { tableau: timeline.at(length), length, isLive, change };
});

export const selectedView = computed(() => {
  const { tableau } = shown.value;
  const view = tableau.actors.get(selected.value ?? '');
  // Views change in place, too.
  return view === undefined ? undefined : { ...view };
});

/** The run that controls apply to: the chosen one, else that of the selected actor, or the only one. */
export const currentRun = computed((): SessionRun | undefined => {
  if (shownFile.value !== undefined) return embedded.value?.session.runs[0];
  const runs = session.value?.runs ?? [];
  const run = filter.value.run ?? selectedView.value?.run ?? storedRun.value;
  const found = runs.find((each) => each.run === run && each.isLive === (storedRun.value === undefined));
  const live = runs.filter(({ isLive, process }) => isLive && process?.id === shownProcess.value);
  return found ?? runs.find((each) => each.run === run) ?? (live.length === 1 ? live[0] : undefined);
});

/** Checks whether a run may be controlled: its process decides. */
export const mayControl = (run: SessionRun | undefined): boolean =>
  run?.process === undefined ? session.value?.control === true : run.process.control;

/** The breakpoint at which the current run is paused. */
export const held = computed(() => heldRuns.value.get(currentRun.value?.run ?? ''));

/** Open requests of the chosen run, or of all, and the number of others. */
export const askedHere = computed(() => {
  const { run } = filter.value;
  const here = requests.value.filter((each) => run === undefined || (each.run ?? run) === run);
  return { here, elsewhere: requests.value.length - here.length };
});

const hold = (run: string, entry: BreakEntry | undefined): void => {
  const next = new Map(heldRuns.peek());
  if (entry === undefined) next.delete(run);
  else next.set(run, entry);
  heldRuns.value = next;
};

/** Starts a new recording. */
export const beginRecording = (base?: TableauData): void => {
  recorded.value = nothingRecorded(base);
  sayings.clear();
  heldRuns.value = new Map();
  changes.value += 1;
  place.value = undefined;
  isPlaying.value = false;
};

/** Adds an entry; increment {@link changes} once for several. */
export const takeEntry = (entry: Entry): void => {
  const { timeline, sequence, markers, folds } = recorded.peek();
  if (!timeline.add(entry)) return;
  sequence.take(entry);
  folds.take(entry);
  const run = timeline.runOf(entry);
  const marker = markerOf(entry, run);
  if (marker !== undefined) markers.push(marker);
  if (entry.kind === 'break' && run !== undefined) hold(run, entry);
  if (entry.kind !== 'published') return;
  const { event } = entry;
  noteRefusal(event);
  if ((event.type === 'run.resumed' || event.type === 'run.ended') && heldRuns.peek().has(event.runId))
    hold(event.runId, undefined);
  // The streamed text is in the answer, or was revoked.
  if (
    event.type === 'model.answered' ||
    event.type === 'model.discarded' ||
    event.type === 'model.interrupted' ||
    event.type === 'model.failed'
  )
    sayings.delete(event.key);
};

/** Shows the recording at a position; at its end it follows a live run. */
export const goTo = (length: number): void => {
  wantedPlace.value = undefined;
  wantedEvent.value = undefined;
  const { timeline } = recorded.value;
  const bounded = Math.max(timeline.first, Math.min(length, timeline.length));
  place.value = bounded >= timeline.length && storedRun.value === undefined ? undefined : bounded;
};

export const goLive = (): void => {
  wantedPlace.value = undefined;
  wantedEvent.value = undefined;
  isPlaying.value = false;
  place.value = undefined;
};

/** Shows an actor; where a run was chosen, its run from then on. */
export const select = (actor: string | undefined): void => {
  selected.value = actor;
  pointedAt.value = undefined;
  const run = actor === undefined ? undefined : recorded.peek().timeline.head.actors.get(actor)?.run;
  const chosen = filter.peek().run;
  if (run !== undefined && chosen !== undefined && chosen !== run) filter.value = { ...filter.peek(), run };
};

/** Selects the root of a run, or of the first one. */
export const selectRoot = (run: string | undefined): void => {
  for (const view of recorded.peek().timeline.head.actors.values())
    if (run === undefined || (view.run === run && view.parent === undefined)) {
      select(view.actor);
      return;
    }
};

/** Chooses a run: its root is selected, and the whole page is restricted to it. Without one all runs are shown. */
export const chooseRun = (run: string | undefined): void => {
  filter.value = { ...filter.peek(), run };
  if (run === undefined) return;
  select(undefined);
  selectRoot(run);
};
