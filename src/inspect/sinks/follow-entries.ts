import type { Entry, NewEntry } from '../recording/entry.ts';
import type { Recording } from '../recording/recording.ts';
import type { ActorView, TableauData } from '../recording/tableau.ts';

/**
 * Passes a whole recording to a listener, as entries: first the state before the oldest kept entry, as if it had just
 * come about; then the kept ones; then live ones. Returns a function that stops it.
 */
export const followEntries = (recording: Recording, next: (entry: NewEntry) => void): (() => void) => {
  if (recording.first > 0) for (const entry of retold(JSON.parse(recording.base()))) next(entry);
  // The recording wrote them.
  for (const line of recording.from()) next(JSON.parse(line) as Entry);
  return recording.follow({
    entry: (line) => {
      next(JSON.parse(line) as Entry);
    },
  });
};

/** Reconstructs a tableau in as few entries as possible. Ended actors are left out. */
function* retold({ charts, actors }: TableauData): Generator<NewEntry> {
  for (const [chart, shape] of charts) yield { kind: 'chart', at: 0, chart, shape };
  for (const view of actors) if (view.status === 'active') yield* beginningOf(view);
}

function* beginningOf(view: Omit<ActorView, 'taken'>): Generator<NewEntry> {
  const { actor, run, parent, name, role, chart, states, arrows, context } = view;
  yield { kind: 'actor', at: 0, actor, run, parent, name, role, chart };
  yield { kind: 'moved', at: 0, actor, on: 'xstate.init', arrows, states, patch: context };
}
