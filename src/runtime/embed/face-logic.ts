import type { AnyStateMachine } from 'xstate';
import type { Scope } from '../turn/quiet-scope.ts';
import type { Face } from './face.ts';
import type { FaceSnapshot } from './face-snapshot.ts';
import { faceOf } from './face.ts';
import { Moved } from './moved.ts';

/** As XState calls what it sends an actor that is stopped, and all that is its own. */
const STOPPED = 'xstate.stop';
const OF_XSTATE = 'xstate.';

/** What makes the logic of a face that of a root, or of a member. */
export interface FaceLife {
  readonly begin: (scope: Scope, input: unknown) => FaceSnapshot;
  readonly restore: (kept: unknown, scope: Scope) => FaceSnapshot;
  readonly start: (face: Face) => void;
  readonly stop: (face: Face) => void;
  /** What a persisted snapshot holds beside the chart. */
  readonly persist: (face: Face) => object;
}

/**
 * The logic of a face: it shows what it is told, hands on commands, and moves nothing.
 *
 * It inherits from the machine, so that inspectors find a statechart, and React, which compares `config`, one and the same.
 */
export const faceLogic = (machine: AnyStateMachine, life: FaceLife): AnyStateMachine =>
  Object.create(machine, {
    getInitialSnapshot: { value: life.begin },
    restoreSnapshot: { value: life.restore },
    start: {
      value: (snapshot: FaceSnapshot): void => {
        const face = faceOf(snapshot);
        if (face === undefined) return;
        face.startChildren();
        life.start(face);
      },
    },
    transition: {
      value: (snapshot: FaceSnapshot, event: { readonly type: string }): FaceSnapshot => {
        const next = Moved.next(event);
        if (next !== undefined) return next;
        const face = faceOf(snapshot);
        if (face === undefined) return snapshot;
        if (event.type === STOPPED) {
          life.stop(face);
          face.stopChildren();
          return { ...snapshot, status: 'stopped' } as FaceSnapshot;
        }
        if (!event.type.startsWith(OF_XSTATE))
          face.home.command(event, face.parent === undefined ? undefined : face.path);
        return snapshot;
      },
    },
    getPersistedSnapshot: {
      value: (snapshot: FaceSnapshot): object => {
        const face = faceOf(snapshot);
        const { status, value, context } = snapshot;
        const kept = face === undefined ? { status, value, context } : face.home.keepFace(face);
        return { ...kept, ...(face === undefined ? {} : life.persist(face)) };
      },
    },
  }) as AnyStateMachine;
