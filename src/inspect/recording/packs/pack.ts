import type { EventBody } from '../../../contracts/events/event.ts';
import type { RawAnswer, SentRequest } from '../../../contracts/models/sent-request.ts';
import type { EffectStep } from '../notes/event-entries.ts';
import type { NewEntry } from '../entry.ts';

/**
 * Entries in a row, in a short form that stands for itself: what recurs in it is there once, contexts are patches of those before, and what
 * follows from an event is not written. Plain JSON; `unpack` makes the entries of it.
 */
export interface Pack {
  /** The place of its first entry. */
  readonly n: number;
  readonly rows: readonly PackRow[];
}

/** An entry as it is, an event, or a turn. */
export type PackRow =
  | readonly [kind: 0, entry: NewEntry]
  | readonly [
      kind: 1,
      seq: number,
      moment: MomentRow | 0,
      body: EventBody,
      steps?: readonly EffectStep[],
      sent?: NotedSent | 0,
      firstMs?: number,
    ]
  | readonly [
      kind: 2,
      actor: Word,
      later: number,
      event: { readonly type: string } | null,
      moves: readonly MoveRow[],
    ];

/** The text, or its number if the pack had it before. */
export type Word = string | number;

/** Ids, or the number of that list. */
export type WordList = readonly string[] | number;

/** The actor that an event is about, and when; 0 in its place if that is as for the event before. Times are what has passed since the row before. */
export type MomentRow = readonly [
  run: Word,
  path: Word,
  agent: Word,
  later: number,
  step: number | null,
  phase: Word | null,
];

/**
 * A move: the arrows and the states, the parts of the context that are new, those of them that the pack had before and of which only the new
 * fields are there, and the type of the event, if that is not the one that was received; 0 for none.
 */
export type MoveRow = readonly [
  arrows: WordList,
  states: WordList,
  patch?: Readonly<Record<string, unknown>> | 0,
  parts?: readonly Word[] | 0,
  on?: Word,
];

/** Longer texts have no number. */
export const LONGEST_WORD = 256;

/** The request of a model call, or its answer. */
export interface NotedSent {
  readonly request?: SentRequest | undefined;
  readonly raw?: RawAnswer | undefined;
}

/** A move of an actor: the arrows that it took, by their ids, the states that it is in then, and what is new in its context. */
export interface NotedMove {
  readonly on: string;
  readonly arrows: readonly string[];
  readonly states: readonly string[];
  readonly patch: Readonly<Record<string, unknown>> | undefined;
}
