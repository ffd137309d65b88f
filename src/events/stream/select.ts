import type { MonoTypeOperatorFunction, Observable, OperatorFunction } from 'rxjs';
import { filter, map, mergeMap, scan } from 'rxjs';
import type { EventOf, EventType, LiveEvent } from '../../contracts/events/event.ts';
import type { RunTotals } from '../../contracts/runs/run-totals.ts';
import { noTotals } from '../../contracts/events/no-totals.ts';
import { addTotals } from '../progress/add-totals.ts';

/**
 * Selects events of these types, typed accordingly.
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
 * Selects the events of the actor at `path` and below it.
 *
 * @example
 * handle.events$.pipe(under('desk/researcher-1'))
 */
export const under = <Event extends LiveEvent>(path: string): MonoTypeOperatorFunction<Event> =>
  filter((event) => event.path === path || event.path.startsWith(`${path}/`));

/** The text of one model call so far. */
export interface SpokenText {
  readonly path: string;
  readonly agent: string;
  /** Key of the call; a repeated or later call has another. */
  readonly key: string;
  /** The whole text so far; empty when it was discarded. Unescaped: print it with `printable`. */
  readonly text: string;
  /** True if the model has finished. */
  readonly isComplete: boolean;
}

/**
 * The streamed text of models, each time as a whole: draw the newest text of each `key` over the previous one.
 *
 * Discarded text (a broken stream that is retried) is replaced by an empty one. With `path`, only the agent at that path. Late subscribers
 * get past answers without streaming, and what there is of those under way.
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
  /** Text of open calls, by key. Created by the first event, as a seed would be shared by all subscribers. */
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
 * The usage of a run so far, after each event that changes it; the last value is the runtime's own totals.
 *
 * @example
 * totals$(handle.events$).subscribe(({ inputTokens, outputTokens }) => meter.show(inputTokens + outputTokens));
 */
export const totals$ = (events$: Observable<LiveEvent>): Observable<RunTotals> =>
  events$.pipe(
    scan(countEvent, { totals: noTotals, isNew: false, startedAt: undefined }),
    filter(({ isNew }) => isNew),
    map(({ totals }) => totals),
  );

interface Count {
  readonly totals: RunTotals;
  readonly isNew: boolean;
  readonly startedAt: number | undefined;
}

const countEvent = (count: Count, event: LiveEvent): Count => {
  const startedAt = count.startedAt ?? event.at;
  const totals = addTotals(count.totals, event);
  if (totals === count.totals) return { totals, isNew: false, startedAt };
  if (event.type === 'run.ended') return { totals, isNew: true, startedAt };
  return { totals: { ...totals, durationMs: event.at - startedAt }, isNew: true, startedAt };
};
