import type { Observable } from 'rxjs';
import { materialize, mergeMap, scan } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { AgentsProgress } from './agent-progress.ts';
import { allAtRest, foldAgents } from './agent-progress.ts';

/** An agent that starts or stops working, for a typing indicator. */
export interface Working {
  readonly path: string;
  readonly isWorking: boolean;
}

/**
 * Emits when an agent starts working, before its first phase's work, and when it stops, by waiting or ending.
 *
 * Starts and stops alternate for each path, and every started agent is stopped before completion, also after a failure or a broken stream.
 * A team's supervisor is never shown as working.
 *
 * @example
 * working$(handle.events$).subscribe(({ path, isWorking }) => chat.setTyping(path, isWorking));
 */
export const working$ = (events$: Observable<LiveEvent>): Observable<Working> =>
  events$.pipe(
    // Turns the end into an element, after which no agent works.
    materialize(),
    scan(
      ({ agents }, { kind, value }): Change => {
        const next = kind === 'N' && value !== undefined ? foldAgents(agents, value) : allAtRest(agents);
        return { agents: next, changes: changesBetween(agents, next) };
      },
      { agents: {}, changes: [] } as Change,
    ),
    mergeMap(({ changes }) => changes),
  );

interface Change {
  readonly agents: AgentsProgress;
  readonly changes: readonly Working[];
}

const changesBetween = (before: AgentsProgress, after: AgentsProgress): readonly Working[] => {
  if (before === after) return [];
  return Object.values(after)
    .filter(({ path, isWorking }) => isWorking !== (before[path]?.isWorking ?? false))
    .map(({ path, isWorking }) => ({ path, isWorking }));
};
