import type { AnyStateMachine } from 'xstate';
import type { Scope } from '../turn/quiet-scope.ts';
import type { Face } from './face.ts';
import type { FaceSnapshot } from './face-snapshot.ts';
import { faceOf } from './face.ts';
import { Moved } from './moved.ts';

/** The event that XState sends to a stopped actor, and the prefix of XState's own events. */
const STOPPED = 'xstate.stop';
const OF_XSTATE = 'xstate.';
const STOPPED_STATUS = 'stopped';
const STARTED = { type: 'troupe.started' };

/** The behaviour in which the logic of a root and that of a member differ. */
export interface FaceLife {
  readonly begin: (scope: Scope, input: unknown) => FaceSnapshot;
  readonly restore: (kept: unknown, scope: Scope) => FaceSnapshot;
  readonly start: (face: Face) => void;
  readonly stop: (face: Face) => void;
  /** Content of a persisted snapshot beside the chart. */
  readonly persist: (face: Face) => object;
}

/**
 * The logic of a face: it shows the snapshots that it receives, forwards commands, and moves nothing.
 *
 * It inherits from the machine, so that inspectors find a statechart, and React, which compares `config`, finds one and the same.
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
        // Delivered before the actor's start returns: who waits for it must not find it stopped.
        if (snapshot.status === STOPPED_STATUS) face.show(STARTED);
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
