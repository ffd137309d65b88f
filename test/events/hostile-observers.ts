// Run as a process of its own by safe-observable.test.ts: whatever escapes here would have ended a user's process.
import type { Observable } from 'rxjs';
import {
  debounceTime,
  delay,
  finalize,
  map,
  mergeMap,
  scan,
  share,
  shareReplay,
  switchMap,
  take,
  tap,
} from 'rxjs';
import { hook } from '../../src/events/hooks/define-hook.ts';
import { attachHooks } from '../../src/events/hooks/hooks.ts';
import { systemClock } from '../../src/base/clock.ts';
import { text$, totals$ } from '../../src/events/stream/select.ts';
import { activity$ } from '../../src/events/progress/activities.ts';
import { working$ } from '../../src/events/progress/working.ts';
import { noted, sampleRun } from './sample-events.ts';

const escaped: string[] = [];
process.on('uncaughtException', (error) => escaped.push(`uncaughtException ${error.message}`));
process.on('unhandledRejection', (error) => escaped.push(`unhandledRejection ${String(error)}`));

const explode = (): never => {
  throw new Error('boom');
};
const reject: () => unknown = () => Promise.reject(new Error('boom'));
const rejectAsHook = () => Promise.reject(new Error('boom'));

const { stream, tell, delta, failures } = sampleRun();
const { events$ } = stream;

events$.subscribe(explode);
events$.subscribe({ next: explode, error: explode, complete: explode });
events$.subscribe(reject);
events$.pipe(map(explode)).subscribe();
events$.pipe(map(explode)).subscribe({ error: explode });
events$.pipe(delay(1), map(explode)).subscribe();
events$.pipe(delay(1)).subscribe(explode);
events$.pipe(debounceTime(1)).subscribe(explode);
events$.pipe(share(), scan(explode, 0)).subscribe();
events$.pipe(shareReplay(1)).subscribe(explode);
events$.pipe(switchMap(() => Promise.reject(new Error('boom')))).subscribe();
events$.pipe(mergeMap(explode)).subscribe();
events$.pipe(tap(explode), finalize(explode)).subscribe();
events$.pipe(delay(1), take(1), finalize(explode)).subscribe();
events$.pipe(finalize(explode)).subscribe();
const derived: Observable<unknown>[] = [
  text$(events$),
  totals$(events$),
  activity$(events$),
  working$(events$),
];
for (const derived$ of derived) {
  derived$.subscribe(explode);
  derived$.pipe(map(explode)).subscribe();
}
const hooks = attachHooks(
  stream,
  [
    hook({ name: 'throws', handle: explode }),
    hook({ name: 'rejects', handle: rejectAsHook }),
    hook({
      name: 'rejects late',
      timeoutMs: 1,
      handle: () => new Promise<void>((_, fail) => setTimeout(fail, 20, new Error('boom'))),
    }),
  ],
  { clock: systemClock, onFailure: explode },
);

const seen: string[] = [];
events$.subscribe((event) => seen.push(event.type));
tell({ type: 'phase.entered', phase: 'DECIDE' }, 'desk');
delta('hello');
tell({
  type: 'model.failed',
  model: 'm',
  key: 'k',
  error: { code: 'model.failed', message: 'x', retryable: 'no' },
});
for (let count = 0; count < 5; count += 1) tell(noted('x'));
events$.subscribe(explode);
stream.close();
events$.subscribe({ complete: explode });
await hooks.settle(100);

setTimeout(() => {
  console.log(JSON.stringify({ escaped, seen: seen.length, hasFailures: failures.length > 0 }));
}, 100);
