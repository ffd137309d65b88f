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

/** How many entries are shown; undefined: all, as they come. */
export const place = signal<number | undefined>(undefined);
export const speed = signal(1);
export const isPlaying = signal(false);
export const selected = signal<string | undefined>(undefined);
/** The call that is to be seen in the transcript. */
export const pointedAt = signal<string | undefined>(undefined);
export const middleTab = signal<'chart' | 'sequence'>('chart');
export const sideTab = signal<'transcript' | 'context' | 'breakpoints'>('transcript');
export const isHelpShown = signal(false);
/** Where a run was held at a breakpoint, and is held still. */
export const held = signal<BreakEntry | undefined>(undefined);
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

/** The run that controls are about: that of the selected actor, or the only one there is. */
export const currentRun = computed((): SessionRun | undefined => {
  const runs = session.value?.runs ?? [];
  const run = selectedView.value?.run ?? filter.value.run ?? storedRun.value;
  const found = runs.find((each) => each.run === run && each.isLive === (storedRun.value === undefined));
  const live = runs.filter(({ isLive }) => isLive);
  return found ?? runs.find((each) => each.run === run) ?? (live.length === 1 ? live[0] : undefined);
});

/** Begins a recording anew. */
export const beginRecording = (base?: TableauData): void => {
  recorded.value = nothingRecorded(base);
  sayings.clear();
  held.value = undefined;
  changes.value += 1;
  place.value = undefined;
  isPlaying.value = false;
};

/** Takes in an entry; {@link changes} is to be counted once for many of them. */
export const takeEntry = (entry: Entry): void => {
  const { timeline, sequence, markers } = recorded.peek();
  if (!timeline.add(entry)) return;
  sequence.take(entry);
  const marker = markerOf(entry);
  if (marker !== undefined) markers.push(marker);
  if (entry.kind === 'break') held.value = entry;
  if (entry.kind !== 'told') return;
  const { event } = entry;
  if (event.type === 'run.resumed' || event.type === 'run.ended') held.value = undefined;
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

/** Shows an actor. */
export const select = (actor: string | undefined): void => {
  selected.value = actor;
  pointedAt.value = undefined;
};
