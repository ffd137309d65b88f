import type { Observable } from 'rxjs';
import { materialize, mergeMap, scan } from 'rxjs';
import type { LiveEvent } from '../contracts/event.ts';
import type { AgentsProgress } from './agent-progress.ts';
import { allAtRest, foldAgents } from './agent-progress.ts';

/** That somebody began or ceased to work: what a typing indicator shows. */
export interface Working {
  readonly path: string;
  readonly isWorking: boolean;
}

/**
 * When each agent starts and stops working: a start before its first phase's work, a stop when it waits or ends.
 *
 * Starts and stops alternate for each path, and whatever happens, failure and a stream that breaks off included,
 * everybody who started is stopped before it completes. A team's supervisor is never shown as working.
 *
 * @example
 * working$(handle.events$).subscribe(({ path, isWorking }) => chat.setTyping(path, isWorking));
 */
export const working$ = (events$: Observable<LiveEvent>): Observable<Working> =>
  events$.pipe(
    // So that the end is one more thing that happens, after which nobody works.
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
