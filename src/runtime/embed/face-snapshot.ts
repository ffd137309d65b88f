import { isMachineSnapshot } from 'xstate';
import type { AnyActorRef, AnyStateMachine } from 'xstate';
import type { OpenRequest } from '../../contracts/people/request.ts';
import { inertScope } from '../turn/quiet-scope.ts';
import type { MachineSnapshot } from '../turn/turn-record.ts';

/** A symbol on the snapshot itself, which survives XState's copies and is not in its JSON. */
export const FACE = Symbol('troupe.face');

/** A snapshot as an app sees it: the machine's own, with child actors, commands in `can`, and the tag `paused`. */
export type FaceSnapshot = MachineSnapshot & { readonly [FACE]?: unknown };

/** The parts of a snapshot that the runtime provides instead of the machine. */
export interface Dressing {
  readonly face: object;
  readonly children: Readonly<Record<string, AnyActorRef>>;
  readonly isPaused: boolean;
  /** Open requests of the whole run, for the context. */
  readonly requests: readonly OpenRequest[];
  readonly can: (command: unknown) => boolean;
  /** Replaces the machine's status, and its state where it did not get to its end. */
  readonly standing?: (Pick<FaceSnapshot, 'status' | 'output'> & { readonly value?: string }) | undefined;
}

/** Creates an app's view of a machine's snapshot. */
export const dressSnapshot = (
  snapshot: MachineSnapshot,
  { face, children, isPaused, requests, can, standing }: Dressing,
): FaceSnapshot =>
  ({
    ...snapshot,
    ...standing,
    context: { ...(snapshot.context as object), requests },
    children,
    tags: isPaused ? new Set([...snapshot.tags, 'paused']) : snapshot.tags,
    can,
    [FACE]: face,
  }) as FaceSnapshot;

/** A chart's state, persisted for display: plain JSON. */
export interface Chart {
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly output?: unknown;
  readonly historyValue?: unknown;
}

/** The standing of an actor: `active`, or `done` with its output. */
export type Ending = Pick<Chart, 'status' | 'output'>;

/** The chart of a snapshot, for display. */
export const chartOf = ({ status, value, context, output }: MachineSnapshot): Chart => ({
  status,
  value,
  context: context as unknown,
  ...(output === undefined ? {} : { output: output as unknown }),
});

/** A machine snapshot restored for display; the machine's initial one if it does not have that state. */
export const snapshotOf = (
  machine: AnyStateMachine,
  { status, value, context, output }: Chart,
): MachineSnapshot => {
  try {
    return machine.resolveState({
      value: value as Parameters<AnyStateMachine['resolveState']>[0]['value'],
      context: context as object,
      status: status === 'done' ? 'done' : 'active',
      output,
    });
  } catch {
    return bareSnapshot(machine);
  }
};

/** A genuine XState snapshot, whatever computed the transition. */
export const genuine = (machine: AnyStateMachine, snapshot: MachineSnapshot): MachineSnapshot =>
  isMachineSnapshot(snapshot) ? snapshot : snapshotOf(machine, snapshot);

/** The snapshot of a machine that has not reached its first state. */
export const bareSnapshot = (machine: AnyStateMachine): MachineSnapshot => {
  const { initial, states } = machine.config;
  const [first = ''] = Object.keys(states ?? {});
  const value = typeof initial === 'string' ? initial : first;
  try {
    return machine.resolveState({ value, context: {}, status: 'active' });
  } catch {
    return { ...machine.getInitialSnapshot(inertScope()), status: 'active', error: undefined };
  }
};
