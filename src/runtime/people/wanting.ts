import type { LazyAbort } from '../../contracts/lazy-abort.ts';
import type { OpenRequest } from '../../contracts/request.ts';
import type { CallChange } from '../../actors/desk.ts';
import type { Scope } from '../journal/write/scope.ts';
import type { Speaker } from '../log/lazy-log.ts';
import type { Said } from './request-book.ts';

/** What is wanted of a person, before anybody was asked. */
export type Wish = OpenRequest extends infer Each
  ? Each extends OpenRequest
    ? Omit<Each, 'askedAt' | 'expiresAt'>
    : never
  : never;

/** Who wants it. */
export interface Wanting {
  readonly speaker: Speaker & { readonly scope?: Scope | undefined };
  readonly step: number;
  readonly phase: string;
  /** Of the effect. */
  readonly key: string;
  /** Nobody waits for it any more. */
  readonly abort: LazyAbort;
  /** Checks whether the call can be made with other arguments. */
  readonly check?: CallChange | undefined;
  /** Told first, before anybody else hears of it. */
  readonly onSaid?: ((said: Said) => void) | undefined;
}

/** An answer as it came in. */
export interface Incoming {
  readonly said: Said;
  /** When; default: now. */
  readonly at?: number | undefined;
  /** It is on record, or nothing came of it. */
  readonly onTaken?: (() => void) | undefined;
}
