import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import type { OpenRequest } from '../../contracts/people/request.ts';
import type { CallChange } from '../../actors/desk.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Speaker } from '../log/lazy-log.ts';
import type { PersonAnswer } from './request-book.ts';

/** A request for a person that is not announced yet. */
export type PersonRequest = OpenRequest extends infer Each
  ? Each extends OpenRequest
    ? Omit<Each, 'askedAt' | 'expiresAt' | 'approvedBy'>
    : never
  : never;

/** The effect that makes a request. */
export interface Requester {
  readonly speaker: Speaker & { readonly scope?: Scope | undefined };
  readonly step: number;
  readonly phase: string;
  /** The key of the effect. */
  readonly key: string;
  /** Aborted when the effect is cancelled. */
  readonly abort: LazyAbort;
  /** Time limit of a question, in ms, beside that of the run. A call has it among its terms. */
  readonly expireAfterMs?: number | undefined;
  /** Validates changed arguments of the call. */
  readonly check?: CallChange | undefined;
  /** Called first with the answer, before any observer. */
  readonly onSaid?: ((said: PersonAnswer) => void) | undefined;
}

/** An answer as it arrives. */
export interface IncomingAnswer {
  readonly said: PersonAnswer;
  /** Default: now. */
  readonly at?: number | undefined;
  /** Called when the answer is recorded or refused. */
  readonly onTaken?: (() => void) | undefined;
}
