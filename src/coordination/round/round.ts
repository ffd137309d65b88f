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
  /** Who had it before and handed it on. */
  readonly before?: readonly string[] | undefined;
  /** Said by who had it before as they handed it on. */
  readonly note?: string | undefined;
  /** The conversation that the member goes on from, in place of what was said before the run. */
  readonly beginsWith?: readonly Turn[] | undefined;
  /** What was said in the team before, from the member's point of view; it follows what was said before the run. */
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

/** What a member left. A member that failed replies too: with its error. */
export interface Reply {
  readonly member: string;
  readonly status: RunStatus;
  readonly output: Json;
  /** It never said that it was done: what it had said was taken for its answer. */
  readonly autoCompleted?: true | undefined;
  readonly stopReason: StopReason;
  readonly error: ErrorData | null;
  readonly steps: number;
  /** What it leaves to whoever goes on from it; only where its task keeps that. */
  readonly left?: { readonly conversation: readonly Turn[]; readonly state: Json } | undefined;
}

/** How a task of a round stands. */
export interface Place {
  readonly reply: Reply | null;
  /** Where the member sits that is at work on it; null while nobody is. */
  readonly path: string | null;
  /** Where the last one sat that was at work on it. */
  readonly lastPath: string | null;
  readonly startedAt: number;
  readonly trouble: Trouble;
  /** How it began anew, or will; null for a task that never failed. */
  readonly restart: Restart | null;
  /** Which wait it begins after; null for none. */
  readonly waitsFor: number | null;
}

/** What may be said of a round when it is begun. */
export interface RoundOptions {
  /** Tasks that may be under way together. Default: all. */
  readonly cap?: number | undefined;
  /** So many answers are enough: the others are called off. Default: all. */
  readonly enough?: number | undefined;
  /** The first failure is the end of the round: the others are called off. Default false. */
  readonly failsFast?: boolean | undefined;
  /** What observers are told as it begins. */
  readonly telling?: readonly EventBody[] | undefined;
  /** The cap grows by one each time that so much time has passed, in ms: a second try beside one that is slow. Default: never. */
  readonly widensAfterMs?: number | undefined;
  /** After so long, in ms, whoever has not answered is called off. Default: nobody is. */
  readonly closesAfterMs?: number | undefined;
  /** The name of the pure function that says whether an answer counts as one. Default: every answer does. */
  readonly accepts?: string | undefined;
}

/**
 * How a round stands after the last answer: `begun` before the first, `open` while replies are waited for, `over`, or `escalated`: more
 * trouble than the team may deal with by itself. The reducer of the answer says so; guards read it.
 */
export type Standing = 'begun' | 'open' | 'over' | 'escalated';

/** What a round wants done now; carried out by `engageMembers`, and gone with the next thing that happens. */
export interface RoundWants {
  /** Tasks to start, each at its own address. */
  readonly starting: readonly number[];
  /** Addresses to stop. */
  readonly stopping: readonly string[];
  /** Waits to ask for, by number: before tasks begin, and for members that take too long. */
  readonly waits: readonly {
    readonly port: 'pause' | 'wake';
    readonly index: number;
    readonly dueAt: number;
  }[];
  readonly telling: readonly EventBody[];
}

/** Tasks given out together, and what came back. */
export interface Round extends RoundWants {
  /** Which one of the team it is, from 1; 0 before the first. */
  readonly number: number;
  /** Rounds in a row up to this one that began with a spent budget. */
  readonly unpaid: number;
  readonly tasks: readonly Task[];
  readonly places: Slots<Place>;
  readonly standing: Standing;
  /** Tasks whose turn has come. */
  readonly started: number;
  /** Tasks without a reply, of those that are to be done at all. */
  readonly open: number;
  readonly answered: number;
  readonly cap: number;
  readonly enough: number;
  readonly failsFast: boolean;
  readonly accepts: string | null;
  readonly widensAfterMs: number | null;
  /** The wait after which there is room for one more; null where there is none. */
  readonly widensWith: number | null;
  /** When whoever has not answered is called off; null for never. */
  readonly closesAt: number | null;
  /** When members that take too long are looked for next; null where nobody's time is limited. */
  readonly watchedUntil: number | null;
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

/** A round before anything of it has begun. */
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

/** A round that tasks are added to as their turn comes, and that is over when whoever adds them says so. */
export const openRound = (): Round => {
  const most = Number.MAX_SAFE_INTEGER;
  return { ...roundOf([], {}), cap: most, enough: most };
};

/** The round with one more task, to be started by whoever adds it. */
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

/** Checks whether nobody's reply is waited for any more. */
export const isRoundOver = ({ open }: Round): boolean => open === 0;
