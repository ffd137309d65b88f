import { computed, signal } from '@preact/signals';
import type { ActorFilter } from './actor-tree.ts';
import type { Marker } from './markers.ts';
import { markerOf } from './markers.ts';
import type { AskedRequest, Session, SessionRun } from './session.ts';
import { Sequence } from './sequence.ts';
import { Timeline } from './timeline.ts';
import type { BreakEntry, Entry } from '../recording/entry.ts';
import type { TableauData } from '../recording/tableau.ts';

/** How the page stands with its server. */
export type Connection = 'connecting' | 'open' | 'lost' | 'refused';

/** What is recorded, as far as it came. */
interface Recorded {
  readonly timeline: Timeline;
  readonly sequence: Sequence;
  readonly markers: Marker[];
}

const nothingRecorded = (base?: TableauData): Recorded => ({
  timeline: new Timeline(base),
  sequence: new Sequence(),
  markers: [],
});

/** What a model is saying right now. */
export interface Saying {
  readonly actor: string;
  text: string;
  reasoning: string;
}

export const session = signal<Session | undefined>(undefined);
export const connection = signal<Connection>('connecting');
/** The stored run that is looked at; undefined: what is live. */
export const storedRun = signal<string | undefined>(undefined);
export const requests = signal<readonly AskedRequest[]>([]);
export const recorded = signal<Recorded>(nothingRecorded());
/** Counts what came: recordings change in place. */
export const changes = signal(0);
export const sayings = new Map<string, Saying>();
export const sayingChanges = signal(0);

/** The number of entries that are shown; undefined: all, as they come. */
export const place = signal<number | undefined>(undefined);
export const speed = signal(1);
export const isPlaying = signal(false);
export const selected = signal<string | undefined>(undefined);
/** The call that is to be seen in the transcript. */
export const pointedAt = signal<string | undefined>(undefined);
export const middleTab = signal<'chart' | 'sequence'>('chart');
export const sideTab = signal<'transcript' | 'context' | 'breakpoints'>('transcript');
export const isHelpShown = signal(false);
/** Where runs were held at a breakpoint, and are held still, by run. */
const heldRuns = signal<ReadonlyMap<string, BreakEntry>>(new Map());
/** What went wrong with what was last asked of the server. */
export const complaint = signal<string | undefined>(undefined);

export const filter = signal<ActorFilter>({
  text: '',
  run: undefined,
  withEffects: 'open',
  onlyActive: false,
  collapsed: new Set(),
});

/** Everybody as they are shown. A tableau changes in place: whoever depends on it depends on this. */
export const shown = computed(() => {
  const { timeline } = recorded.value;
  const isLive = place.value === undefined;
  // What comes while the past is shown changes nothing of it.
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

/** The run that controls are about: the one that was chosen, else that of the selected actor, or the only one there is. */
export const currentRun = computed((): SessionRun | undefined => {
  const runs = session.value?.runs ?? [];
  const run = filter.value.run ?? selectedView.value?.run ?? storedRun.value;
  const found = runs.find((each) => each.run === run && each.isLive === (storedRun.value === undefined));
  const live = runs.filter(({ isLive }) => isLive);
  return found ?? runs.find((each) => each.run === run) ?? (live.length === 1 ? live[0] : undefined);
});

/** The breakpoint at which the current run is held. */
export const held = computed(() => heldRuns.value.get(currentRun.value?.run ?? ''));

/** The requests of the run that was chosen, or of all, and how many others there are. */
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

/** Begins a recording anew. */
export const beginRecording = (base?: TableauData): void => {
  recorded.value = nothingRecorded(base);
  sayings.clear();
  heldRuns.value = new Map();
  changes.value += 1;
  place.value = undefined;
  isPlaying.value = false;
};

/** Takes in an entry; {@link changes} is to be counted once for many of them. */
export const takeEntry = (entry: Entry): void => {
  const { timeline, sequence, markers } = recorded.peek();
  if (!timeline.add(entry)) return;
  sequence.take(entry);
  const run = timeline.runOf(entry);
  const marker = markerOf(entry, run);
  if (marker !== undefined) markers.push(marker);
  if (entry.kind === 'break' && run !== undefined) hold(run, entry);
  if (entry.kind !== 'told') return;
  const { event } = entry;
  if ((event.type === 'run.resumed' || event.type === 'run.ended') && heldRuns.peek().has(event.runId))
    hold(event.runId, undefined);
  // What was said is in the answer, or was taken back.
  if (
    event.type === 'model.answered' ||
    event.type === 'model.discarded' ||
    event.type === 'model.interrupted' ||
    event.type === 'model.failed'
  )
    sayings.delete(event.key);
};

/** Shows the recording as it was at a place; at its end it goes on being shown as it comes, if it is live. */
export const goTo = (length: number): void => {
  const { timeline } = recorded.value;
  const bounded = Math.max(timeline.first, Math.min(length, timeline.length));
  place.value = bounded >= timeline.length && storedRun.value === undefined ? undefined : bounded;
};

export const goLive = (): void => {
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

/** Shows the root of a run; of all runs, the first that came. */
export const selectRoot = (run: string | undefined): void => {
  for (const view of recorded.peek().timeline.head.actors.values())
    if (run === undefined || (view.run === run && view.parent === undefined)) {
      select(view.actor);
      return;
    }
};

/** Chooses a run: its root is shown, and all there is on the page is about it. Without one all runs are shown. */
export const chooseRun = (run: string | undefined): void => {
  filter.value = { ...filter.peek(), run };
  if (run === undefined) return;
  select(undefined);
  selectRoot(run);
};
