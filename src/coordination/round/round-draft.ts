import { NEVER_AT } from '../../base/clock.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Place, Round, RoundWants } from './round.ts';
import { NOTHING_WANTED, placeAt, withPlace } from './round.ts';
import { slotList } from './slots.ts';
import type { TeamContext } from './team-context.ts';

/** The part of a team's context that a round changes. */
export type RoundMove = Pick<TeamContext, 'round' | 'engaged' | 'waits' | 'restarts' | 'tally' | 'end'>;

/** A move in the making: what is wanted is gathered on the way, and part of the round when it is done. */
export interface Draft extends RoundMove {
  readonly team: TeamContext['team'];
  readonly at: number;
  readonly wants: {
    -readonly [Key in Exclude<keyof RoundWants, 'overdue'>]: RoundWants[Key][number][];
  } & { overdue?: RoundWants['overdue'] };
}

/** A draft of what comes next; what was wanted before has been carried out by now. */
export const draftOf = (context: TeamContext, at: number): Draft => {
  const { team, round, engaged, waits, restarts, tally, end } = context;
  // There only in a team that has stopped a member for its time.
  const notOverdue = round.overdue === undefined ? {} : { overdue: null };
  return {
    team,
    at,
    wants: { starting: [], stopping: [], waits: [], telling: [], ...notOverdue },
    round: { ...round, ...NOTHING_WANTED, ...notOverdue },
    engaged: engaged + round.starting.length,
    waits: waits + round.waits.length,
    restarts,
    tally: { ...tally, now: at },
    end,
  };
};

/** The draft, done. */
export const moveOf = ({ round, wants, engaged, waits, restarts, tally, end }: Draft): RoundMove => ({
  round: { ...round, ...wants },
  engaged,
  waits,
  restarts,
  tally,
  end,
});

export const withRound = (draft: Draft, changed: Partial<Round>): Draft => ({
  ...draft,
  round: { ...draft.round, ...changed },
});

export const atPlace = (draft: Draft, index: number, changed: Partial<Place>): Draft => ({
  ...draft,
  round: withPlace(draft.round, index, changed),
});

/** Asks for a wait; gives its number. */
export const wantWait = (
  { wants, waits }: Draft,
  port: 'pause' | 'wake',
  dueAt: number,
  standing: readonly string[] = [],
): number => {
  const index = waits + wants.waits.length;
  wants.waits.push({ port, index, dueAt, ...(standing.length === 0 ? {} : { standing }) });
  return index;
};

/** Starts a task at an address of its own. */
export const start = (draft: Draft, index: number): Draft => {
  const task = draft.round.tasks[index];
  const place = placeAt(draft.round, index);
  if (task === undefined || place === undefined) return draft;
  const { team, wants, at } = draft;
  const path = `${team.path}/${task.member}-${draft.engaged + wants.starting.length + 1}`;
  wants.starting.push(index);
  if (place.restart !== null) wants.telling.push(restartEvent(task.member, path, place.restart));
  return watchMember(atPlace(draft, index, { path, lastPath: path, startedAt: at, waitsFor: null }), index);
};

const restartEvent = (member: string, child: string, restart: NonNullable<Place['restart']>): EventBody => ({
  type: 'child.restarted',
  member,
  child,
  of: restart.of,
  restarts: restart.count,
});

/** The time that the member at a place may take, in ms; null: as long as it takes. */
export const timeFor = ({ round, team }: Draft, index: number): number | null =>
  round.tasks[index]?.timeMs ?? team.memberTimeMs;

/** Asks for a wait that looks for overdue members, if none is pending. */
export const watchTime = (draft: Draft): Draft => {
  if (draft.round.watchedUntil !== null) return draft;
  const ends = slotList(draft.round.places).map((place, index) => endFor(draft, index, place));
  const earliest = Math.min(...ends.map((end) => end ?? Infinity));
  if (earliest < NEVER_AT) return watchUntil(draft, earliest);
  return ends.includes(NEVER_AT) ? watchUntil(draft, NEVER_AT) : draft;
};

/** Time at which the member at a place has worked for as long as it may; `NEVER_AT` while it waits for a person, null without a limit. */
export const endFor = (draft: Draft, index: number, { path, startedAt }: Place): number | null => {
  const time = timeFor(draft, index);
  if (path === null || time === null) return null;
  // A limit of the task itself is for a person, too.
  const waited = draft.round.tasks[index]?.timeMs === undefined ? draft.round.waited?.[path] : undefined;
  if (waited === undefined) return startedAt + time;
  return waited.isOpen ? NEVER_AT : startedAt + time + waited.ms;
};

const watchUntil = (draft: Draft, until: number): Draft => {
  const standing = slotList(draft.round.places).flatMap((place, index) =>
    place.path !== null && endFor(draft, index, place) === NEVER_AT ? [place.path] : [],
  );
  const watchedWith = wantWait(draft, 'wake', until, standing);
  if (standing.length > 0) return withRound(draft, { watchedUntil: until, watchedWith });
  const isWatched = typeof draft.round.watchedWith === 'number';
  return withRound(draft, { watchedUntil: until, ...(isWatched ? { watchedWith: null } : {}) });
};

/** One more is at work: it may be the first whose time is over. */
const watchMember = (draft: Draft, index: number): Draft => {
  const time = timeFor(draft, index);
  if (time === null) return draft;
  const until = draft.round.watchedUntil;
  if (until === null) return watchTime(draft);
  return draft.at + time < until ? watchUntil(draft, draft.at + time) : draft;
};

/** Fills the places that are free. */
export const startNext = (draft: Draft): Draft => {
  let next = draft;
  const { tasks, cap } = draft.round;
  for (;;) {
    const { started, open } = next.round;
    const underWay = open - (tasks.length - started);
    if (underWay >= cap || started >= tasks.length) return next;
    next = start(withRound(next, { started: started + 1 }), started);
  }
};

/** Asks for the wait after which the cap grows by one, where a round widens and a task has not started. */
export const widening = (draft: Draft): Draft => {
  const { widensAfterMs, started, tasks } = draft.round;
  if (widensAfterMs === null || started >= tasks.length) return withRound(draft, { widensWith: null });
  return withRound(draft, { widensWith: wantWait(draft, 'pause', draft.at + widensAfterMs) });
};

/** A wait is over: there is room for one more, or the task that waited for it starts. */
export const startWaiting = (draft: Draft, wait: number): Draft => {
  const { widensWith, cap, places } = draft.round;
  if (wait === widensWith) return widening(startNext(withRound(draft, { cap: cap + 1 })));
  return slotList(places).reduce(
    (next, { waitsFor }, index) => (waitsFor === wait ? start(next, index) : next),
    draft,
  );
};
