import type { Observable } from 'rxjs';
import { mergeMap } from 'rxjs';
import type { LiveEvent } from '../../contracts/events/event.ts';
import type { Activity } from './activity.ts';
import { activityOf } from './activity.ts';

/** The activities of a run as they happen. */
export const activity$ = (events$: Observable<LiveEvent>): Observable<Activity> =>
  events$.pipe(
    mergeMap((event) => {
      const activity = activityOf(event);
      return activity === undefined ? [] : [activity];
    }),
  );
