import { computed } from '@preact/signals';
import type { Breakpoint } from '../recording/breakpoint.ts';
import type { ActorView } from '../recording/tableau.ts';
import { command, holdNoRunAt } from './control.ts';
import { currentRun, session, stops, storedRun } from './page-state.ts';
import { isControlled } from './parts/controls.tsx';

/** A breakpoint that is set. */
export interface SetBreakpoint {
  readonly breakpoint: Breakpoint;
  /** True for one of all runs. */
  readonly isOfAll: boolean;
}

/** Checks whether breakpoints can be set: of a live run by control, of a stored one for its playback. */
export const canHold = (): boolean => storedRun.value !== undefined || isControlled();

/** The breakpoints of what is shown, its own first. The server is authoritative: it lists those set by any page. */
export const setBreakpoints = computed((): readonly SetBreakpoint[] => {
  if (storedRun.value !== undefined) return stops.value.map((breakpoint) => ({ breakpoint, isOfAll: false }));
  if (!isControlled()) return [];
  const listed = (isOfAll: boolean) => (breakpoint: Breakpoint) => ({ breakpoint, isOfAll });
  return [
    ...(currentRun.value?.breakpoints ?? []).map(listed(false)),
    ...(session.value?.breakpoints ?? []).map(listed(true)),
  ];
});

/** Tells breakpoints apart. */
export const keyOf = ({ breakpoint, isOfAll }: SetBreakpoint): string => {
  const { kind, value } = breakpoint;
  return [isOfAll ? 'all' : '', kind, value, actorOf(breakpoint) ?? ''].join('\n');
};

/** The only actor that a breakpoint is about. */
export const actorOf = (breakpoint: Breakpoint): string | undefined =>
  'actor' in breakpoint ? breakpoint.actor : undefined;

/** Checks whether a breakpoint may hold an actor, by its address in its run. */
export const isAbout = (breakpoint: Breakpoint, { actor, name, run }: ActorView): boolean => {
  const only = actorOf(breakpoint);
  return only === undefined || [actor, name, actor.slice(run.length + 1)].includes(only);
};

export const addBreakpoint = (breakpoint: Breakpoint): void => {
  if (storedRun.peek() === undefined) void command({ do: 'break-add', breakpoint });
  else stops.value = [...stops.peek(), breakpoint];
};

export const removeBreakpoint = (removed: SetBreakpoint): void => {
  const { breakpoint, isOfAll } = removed;
  if (storedRun.peek() !== undefined)
    stops.value = stops.peek().filter((each) => keyOf({ breakpoint: each, isOfAll }) !== keyOf(removed));
  else if (isOfAll) void holdNoRunAt(breakpoint);
  else void command({ do: 'break-remove', breakpoint });
};
