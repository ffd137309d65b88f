import type { HookScope, LiveEvent } from '../../../contracts/events/event.ts';
import type { Work } from './work.ts';

/** The follower that reports an actor, by run and address, where there are several. */
export type Claims = Map<string, object>;

/** An actor at work, or one that another follower reports (`work` is undefined then). */
export interface Actor {
  readonly work: Work | undefined;
  /** Open model and tool calls and waits, by what they are called. */
  readonly calls: Map<string, Work>;
  phase: Work | undefined;
}

export interface Engaged {
  readonly event: LiveEvent;
  readonly scope: HookScope;
}

export interface FollowedRun {
  /** True if its root is followed, and not only what happens below some address. */
  isWhole: boolean;
  lastSeq: number;
  /** Time of its last event. */
  lastAt: number;
  lastDelta: LiveEvent | undefined;
  readonly actors: Map<string, Actor>;
  /** Engaged, not yet known whether agent or team: the first phase shows it. */
  readonly engaged: Map<string, Engaged>;
}

/** Returns the tenant of the run of a piece of work. */
export const tenantIn = ({ by, parent }: Work): string | undefined => {
  if (by.type === 'run.started') return by.tenant;
  return parent === undefined ? undefined : tenantIn(parent);
};

export const claimOf = (runId: string, path: string): string => `${runId}\n${path}`;
export const toolOf = (callId: string): string => `tool ${callId}`;
export const waitOf = (callId: string): string => `wait ${callId}`;
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const isHelper = (path: string): boolean => path.includes('/~');

export const callOf = (actor: Actor, event: object): Work | undefined => {
  if ('callId' in event && typeof event.callId === 'string')
    return actor.calls.get(toolOf(event.callId)) ?? actor.calls.get(waitOf(event.callId));
  return 'key' in event && typeof event.key === 'string' ? actor.calls.get(event.key) : undefined;
};
