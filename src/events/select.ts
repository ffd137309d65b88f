import type { MonoTypeOperatorFunction, Observable, OperatorFunction } from 'rxjs';
import { filter, map, mergeMap, scan } from 'rxjs';
import type { EventOf, EventType, LiveEvent } from '../contracts/event.ts';
import type { RunTotals } from '../contracts/run.ts';
import { noTotals } from '../contracts/no-totals.ts';
import { addTotals } from './add-totals.ts';

/**
 * Only the events of these types, typed as such.
 *
 * @example
 * handle.events$.pipe(ofType('tool.started')).subscribe((event) => console.log(event.description));
 */
export const ofType = <const Type extends EventType>(
  ...types: readonly Type[]
): OperatorFunction<LiveEvent, EventOf<Type>> => {
  const wanted: ReadonlySet<EventType> = new Set(types);
  return filter((event): event is EventOf<Type> => wanted.has(event.type));
};

/**
 * Only the events of the actor at `path`, and of all below it.
 *
 * @example
 * handle.events$.pipe(under('desk/researcher-1'))
 */
export const under = <Event extends LiveEvent>(path: string): MonoTypeOperatorFunction<Event> =>
  filter((event) => event.path === path || event.path.startsWith(`${path}/`));

/** What one model call has said so far. */
export interface SpokenText {
  readonly path: string;
  readonly agent: string;
  /** The call's; a repeated or later call has another. */
  readonly key: string;
  /** All of it, not only what is new; empty when it was taken back. As the model wrote it: print with `printable`. */
  readonly text: string;
  /** True if the model has ended. */
  readonly isComplete: boolean;
}

/**
 * The text of models as it streams, whole each time: draw the newest of each `key` over the last.
 *
 * Text that the runtime discards (a broken stream that is tried again) is taken back by an empty one. With `path`,
 * only the agent at that path. Who comes late sees answers that were given, but for them no streaming.
 *
 * @example
 * text$(handle.events$, 'desk').subscribe(({ text }) => draw(printable(text)));
 */
export const text$ = (events$: Observable<LiveEvent>, path?: string): Observable<SpokenText> =>
  events$.pipe(
    ofType('model.delta', 'model.answered', 'model.discarded', 'model.interrupted', 'model.failed'),
    filter((event) => path === undefined || event.path === path),
    scan(spoken, undefined),
    filter((speeches) => speeches !== undefined),
    mergeMap(({ said }) => (said === undefined ? [] : [said])),
  );

type Speech = EventOf<
  'model.delta' | 'model.answered' | 'model.discarded' | 'model.interrupted' | 'model.failed'
>;

interface Speeches {
  /** By key, what was said so far in calls that go on. Made by the first event: a seed would be shared by all who watch. */
  readonly open: Map<string, string>;
  readonly said: SpokenText | undefined;
}

const spoken = (before: Speeches | undefined, event: Speech): Speeches => {
  const open = before?.open ?? new Map<string, string>();
  const { path, agent, key } = event;
  const say = (text: string, isComplete = false): Speeches => ({
    open,
    said: { path, agent, key, text, isComplete },
  });
  if (event.type === 'model.delta') {
    if (event.delta.type !== 'text' || event.delta.text === '') return { open, said: undefined };
    const text = (open.get(key) ?? '') + event.delta.text;
    open.set(key, text);
    return say(text);
  }
  const wasOpen = open.delete(key);
  if (event.type === 'model.answered') return say(event.text, true);
  return wasOpen ? say('') : { open, said: undefined };
};

/**
 * What a run has used so far, after each event that changes it; the last is the runtime's own account.
 *
 * @example
 * totals$(handle.events$).subscribe(({ inputTokens, outputTokens }) => meter.show(inputTokens + outputTokens));
 */
export const totals$ = (events$: Observable<LiveEvent>): Observable<RunTotals> =>
  events$.pipe(
    scan(counted, { totals: noTotals, isNew: false, startedAt: undefined }),
    filter(({ isNew }) => isNew),
    map(({ totals }) => totals),
  );

interface Count {
  readonly totals: RunTotals;
  readonly isNew: boolean;
  readonly startedAt: number | undefined;
}

const counted = (count: Count, event: LiveEvent): Count => {
  const startedAt = count.startedAt ?? event.at;
  const totals = addTotals(count.totals, event);
  if (totals === count.totals) return { totals, isNew: false, startedAt };
  if (event.type === 'run.ended') return { totals, isNew: true, startedAt };
  return { totals: { ...totals, durationMs: event.at - startedAt }, isNew: true, startedAt };
};
