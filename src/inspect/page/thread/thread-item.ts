import type { MediaPart } from '../../../contracts/content/part.ts';

interface Placed {
  /** The entry that it begins with. */
  readonly n: number;
  readonly at: number;
}

/** Somebody who speaks or is spoken to: a member by its actor, or a person, the runtime, or the caller of the run. */
export interface Speaker {
  readonly name: string;
  readonly actor?: string | undefined;
}

/** Media that became known at an entry. */
interface KnownMedia {
  readonly n: number;
  readonly parts: readonly MediaPart[];
}

/** The event that words are of, where a fork may change it. */
export interface SaidEvent {
  /** The actor in whose transcript it is. */
  readonly actor: string;
  readonly seq: number;
  readonly type: 'model.answered' | 'message.sent';
  /** Of a model's answer the key of its call. */
  readonly key?: string | undefined;
}

/** Words: a task, a message, an answer, a question. */
export interface ThreadWords extends Placed {
  readonly kind: 'words';
  readonly event?: SaidEvent | undefined;
  readonly from: Speaker;
  /** Absent where it is for all. */
  readonly to?: Speaker | undefined;
  readonly text: string;
  media?: KnownMedia | undefined;
}

/** The status of a call, from an entry on. */
interface CallChange {
  readonly n: number;
  readonly status: 'requested' | 'awaiting approval' | 'running' | 'done' | 'failed' | 'denied' | 'ambiguous';
  /** The number of the event that has its result. */
  readonly seq?: number | undefined;
}

/** A call of a tool. */
export interface ThreadCall {
  readonly n: number;
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly changes: CallChange[];
  media?: KnownMedia | undefined;
}

/** Calls of an agent that follow each other, on one line. */
export interface ThreadCalls extends Placed {
  readonly kind: 'calls';
  readonly from: Speaker;
  readonly calls: ThreadCall[];
}

/** The end of a run, or of a member that did not complete its task. */
export interface ThreadNote extends Placed {
  readonly kind: 'note';
  readonly from: Speaker;
  readonly tone: 'good' | 'warning' | 'error' | 'plain';
  readonly title: string;
  readonly text: string;
}

export type ThreadItem = ThreadWords | ThreadCalls | ThreadNote;

/** A call as it stands at a place. */
export interface CallView extends Omit<ThreadCall, 'changes' | 'media'> {
  readonly status: CallChange['status'];
  readonly seq: number | undefined;
  readonly media: readonly MediaPart[];
}

/** The calls of a line that had begun by a place, as they stood then. */
export const callsAt = ({ calls }: ThreadCalls, length: number): readonly CallView[] =>
  calls.flatMap(({ changes, media, ...call }) => {
    const last = changes.findLast(({ n }) => n < length);
    if (last === undefined) return [];
    return [{ ...call, status: last.status, seq: last.seq, media: mediaAt(media, length) }];
  });

/** The media that were known at a place. */
export const mediaAt = (media: KnownMedia | undefined, length: number): readonly MediaPart[] =>
  media !== undefined && media.n < length ? media.parts : [];
