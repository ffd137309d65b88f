import { isMachineSnapshot } from 'xstate';
import type { AnyActorRef, AnyStateMachine } from 'xstate';
import { inertScope } from '../turn/quiet-scope.ts';
import type { MachineSnapshot } from '../turn/turn.ts';

/** On a snapshot itself, so that it survives the copies that XState makes, and is in no JSON. */
export const FACE = Symbol('troupe.face');

/** A snapshot as an app sees it: the machine's own, with the actors below it, commands in `can`, and the tag `paused`. */
export type FaceSnapshot = MachineSnapshot & { readonly [FACE]?: unknown };

/** What of a snapshot is the runtime's to say, and not the machine's. */
export interface Dressing {
  readonly face: object;
  readonly children: Readonly<Record<string, AnyActorRef>>;
  readonly isPaused: boolean;
  readonly can: (command: unknown) => boolean;
  /** Takes the place of how the machine stands. */
  readonly standing?: Pick<FaceSnapshot, 'status' | 'output'> | undefined;
}

/** Makes what an app sees of a machine's snapshot. */
export const dressed = (
  snapshot: MachineSnapshot,
  { face, children, isPaused, can, standing }: Dressing,
): FaceSnapshot =>
  ({
    ...snapshot,
    ...standing,
    children,
    tags: isPaused ? new Set([...snapshot.tags, 'paused']) : snapshot.tags,
    can,
    [FACE]: face,
  }) as FaceSnapshot;

/** What a chart looked like, as it is kept for display: plain JSON. */
export interface Chart {
  readonly status: string;
  readonly value: unknown;
  readonly context: unknown;
  readonly output?: unknown;
  readonly historyValue?: unknown;
}

/** The chart of a snapshot, for display. */
export const chartOf = ({ status, value, context, output }: MachineSnapshot): Chart => ({
  status,
  value,
  context: context as unknown,
  ...(output === undefined ? {} : { output: output as unknown }),
});

/** A machine's snapshot of what was kept for display; where the machine knows no such state, its own first one. */
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

/** A genuine snapshot of XState's, whatever computed the transition. */
export const genuine = (machine: AnyStateMachine, snapshot: MachineSnapshot): MachineSnapshot =>
  isMachineSnapshot(snapshot) ? snapshot : snapshotOf(machine, snapshot);

/** What is shown of a machine that has not got as far as its first state. */
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
