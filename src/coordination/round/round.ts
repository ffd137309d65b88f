import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import type { RunStatus } from '../../contracts/runs/run-status.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { Restart } from '../../machines/outputs.ts';
import type { Trouble } from '../../machines/supervision.ts';
import type { Slots } from './slots.ts';
import { addSlot, slotAt, slotList, slots, withSlot } from './slots.ts';

/** One member's work. */
export interface Task {
  readonly member: string;
  readonly input: Json;
  /** The member that had it before and handed it on. */
  readonly before?: readonly string[] | undefined;
  /** The note of the member that handed it on. */
  readonly note?: string | undefined;
  /** The conversation that the member goes on from, in place of the thread's. */
  readonly beginsWith?: readonly Turn[] | undefined;
  /** The team's conversation so far, from the member's point of view; it follows the thread's. */
  readonly sees?: readonly Turn[] | undefined;
  /** The author of the input, where that is not the user. */
  readonly inputFrom?: string | undefined;
  /** The phase that the work is in. Default: that of the team. */
  readonly phase?: string | undefined;
  /** Its conversation and its state are part of the reply. Default false: they grow with its work. */
  readonly keepsConversation?: boolean | undefined;
  /** The time that the member may take for it, in ms. Default: as long as the team gives its members. */
  readonly timeMs?: number | undefined;
}

/** A member's reply. A member that failed replies too: with its error. */
export interface Reply {
  readonly member: string;
  readonly status: RunStatus;
  readonly output: Json;
  /** It never declared itself done: its last text was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | null;
  readonly steps: number;
  /** Its conversation and state, for the member that continues from it; only where its task keeps them. */
  readonly left?: { readonly conversation: readonly Turn[]; readonly state: Json } | undefined;
}

/** The status of a task of a round. */
export interface Place {
  readonly reply: Reply | null;
  /** The address of the member that works on it; null while none does. */
  readonly path: string | null;
  /** The address of the last member that worked on it. */
  readonly lastPath: string | null;
  readonly startedAt: number;
  readonly trouble: Trouble;
  /** Its restarts; null for a task that never failed. */
  readonly restart: Restart | null;
  /** The number of the wait that it starts after; null for none. */
  readonly waitsFor: number | null;
}

/** The options of a round. */
export interface RoundOptions {
  /** The number of tasks at work at the same time. Default: all. */
  readonly cap?: number | undefined;
  /** The number of answers that are enough: the others are cancelled. Default: all. */
  readonly enough?: number | undefined;
  /** The first failure ends the round: the others are cancelled. Default false. */
  readonly failsFast?: boolean | undefined;
  /** Events for observers, published as it starts. */
  readonly telling?: readonly EventBody[] | undefined;
  /** The interval at which the cap grows by one, in ms: a second attempt beside a slow one. Default: never. */
  readonly widensAfterMs?: number | undefined;
  /** The time limit of the round, in ms: members that have not answered by then are cancelled. Default: none. */
  readonly closesAfterMs?: number | undefined;
  /** The name of the pure function that says whether an answer counts as one. Default: every answer does. */
  readonly accepts?: string | undefined;
}

/**
 * The status of a round after the last answer: `begun` before the first, `open` while replies are waited for, `over`, or `escalated`: more
 * trouble than the team may deal with by itself. The reducer of the answer sets it; guards read it.
 */
export type Standing = 'begun' | 'open' | 'over' | 'escalated';

/** The outputs that a round wants now: `engageMembers` carries them out, the next envelope clears them. */
export interface RoundWants {
  /** Tasks to start, each at its own address. */
  readonly starting: readonly number[];
  /** Addresses to stop. */
  readonly stopping: readonly string[];
  /** The errors of those that are stopped because they failed, by address: their time was over. */
  readonly overdue?: Readonly<Record<string, ErrorData>> | null | undefined;
  /** Waits to ask for, by number: before tasks start, and for overdue members. */
  readonly waits: readonly {
    readonly port: 'pause' | 'wake';
    readonly index: number;
    readonly dueAt: number;
    /** The members that wait for people: it is over as soon as one of them continues, too. */
    readonly standing?: readonly string[] | undefined;
  }[];
  readonly telling: readonly EventBody[];
}

/** Tasks assigned together, and their replies. */
export interface Round extends RoundWants {
  /** The number of the round in its team, from 1; 0 before the first. */
  readonly number: number;
  /** Rounds in a row up to this one that began with a spent budget. */
  readonly unpaid: number;
  readonly tasks: readonly Task[];
  readonly places: Slots<Place>;
  readonly standing: Standing;
  /** Tasks that may start. */
  readonly started: number;
  /** Tasks without a reply, of those that are to be done. */
  readonly open: number;
  readonly answered: number;
  readonly cap: number;
  readonly enough: number;
  readonly failsFast: boolean;
  readonly accepts: string | null;
  readonly widensAfterMs: number | null;
  /** The wait after which there is room for one more; null where there is none. */
  readonly widensWith: number | null;
  /** The time at which members that have not answered are cancelled; null for never. */
  readonly closesAt: number | null;
  /** The time of the next look for overdue members; null where no member has a time limit. */
  readonly watchedUntil: number | null;
  /** The wait for that look, where a member is waiting for a person; its time stands still. */
  readonly watchedWith?: number | null | undefined;
  /** The waits of members for people up to the last look, by address; only where one waited. */
  readonly waited?: PersonWaits | undefined;
}

/** The waits for people of members, by address. */
export type PersonWaits = Readonly<Record<string, PersonWait>>;

/** The waits for people of a member and of those below it. */
export interface PersonWait {
  readonly ms: number;
  /** It is waiting now. */
  readonly isOpen: boolean;
}

export const NOTHING_WANTED: RoundWants = {
  starting: [],
  stopping: [],
  waits: [],
  telling: [],
};

const UNTROUBLED: Trouble = { streak: 0, equal: 0, kind: '' };
const UNTOUCHED: Place = {
  reply: null,
  path: null,
  lastPath: null,
  startedAt: 0,
  trouble: UNTROUBLED,
  restart: null,
  waitsFor: null,
};

/** A round before its first task. */
export const roundOf = (tasks: readonly Task[], options: RoundOptions): Round => ({
  ...NOTHING_WANTED,
  number: 0,
  unpaid: 0,
  tasks,
  places: slots(tasks.length, () => UNTOUCHED),
  standing: 'begun',
  started: 0,
  open: tasks.length,
  answered: 0,
  cap: Math.max(1, Math.min(options.cap ?? tasks.length, tasks.length)),
  enough: Math.max(1, Math.min(options.enough ?? tasks.length, tasks.length)),
  failsFast: options.failsFast ?? false,
  accepts: options.accepts ?? null,
  widensAfterMs: options.widensAfterMs ?? null,
  widensWith: null,
  closesAt: null,
  watchedUntil: null,
});

/** A round that tasks are added to one by one; it is over when the pattern ends it. */
export const openRound = (): Round => {
  const most = Number.MAX_SAFE_INTEGER;
  return { ...roundOf([], {}), cap: most, enough: most };
};

/** The round with one more task, to be started by the action that adds it. */
export const withTask = (round: Round, task: Task): Round => ({
  ...round,
  tasks: [...round.tasks, task],
  places: addSlot(round.places, UNTOUCHED),
  started: round.started + 1,
  open: round.open + 1,
});

export const placeAt = ({ places }: Round, index: number): Place | undefined => slotAt(places, index);

export const withPlace = (round: Round, index: number, change: Partial<Place>): Round => {
  const place = placeAt(round, index);
  return place === undefined
    ? round
    : { ...round, places: withSlot(round.places, index, { ...place, ...change }) };
};

/** The replies that are in, in the order of the tasks. */
export const repliesIn = ({ places }: Round): readonly Reply[] =>
  slotList(places).flatMap(({ reply }) => (reply === null ? [] : [reply]));

/** Checks whether no reply is pending. */
export const isRoundOver = ({ open }: Round): boolean => open === 0;
