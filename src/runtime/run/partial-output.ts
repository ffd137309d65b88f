import { Observable } from 'rxjs';
import type { AgentDefinition, OutputCheck } from '../../actors/agent-definition.ts';
import { canonical } from '../../base/json/canonical.ts';
import type { Json } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { EventOf } from '../../contracts/events/event.ts';
import type { KeyedDelta } from './answer-draft.ts';
import { AnswerDraft } from './answer-draft.ts';
import type { Run } from './run.ts';

/** The output of a run as far as it has come. */
interface OutputSoFar {
  readonly value: Json;
  /** The key of the answer that is being written; undefined for the output of the result. */
  readonly key: string | undefined;
  /** True if nothing is added to it. */
  readonly isWhole: boolean;
}

/**
 * Emits the output of a run as its model writes it, at first what is written already; last that of the result, if the
 * run completes.
 */
const outputsSoFar = (run: Run): Observable<OutputSoFar> =>
  new Observable((subscriber) => {
    const { path, definition } = run.root;
    const { agent } = definition;
    // Registered at once: who awaits the result later finds that this has emitted it.
    run.result.then(
      ({ status, output }) => {
        if (status === 'completed' && output !== undefined)
          subscriber.next({ value: output, key: undefined, isWhole: true });
        subscriber.complete();
      },
      // The failure of a run is the business of its result.
      () => subscriber.complete(),
    );
    if (agent === undefined || !isAnsweredAsWritten(agent) || run.isOver) return undefined;
    const draft = new AnswerDraft(agent);
    const take = (delta: KeyedDelta): void => {
      if (!draft.take(delta)) return;
      const { value, isWhole } = draft;
      if (value !== undefined) subscriber.next({ value, key: delta.key, isWhole });
    };
    let last: KeyedDelta | undefined;
    let isLive = false;
    // Until the model answers again, its last answer is what there is.
    const begin = (): void => {
      if (!isLive && last !== undefined) take(last);
      isLive = true;
    };
    const subscription = run.log.stream.events$.subscribe((event) => {
      if (event.path !== path) return;
      if (event.type === 'model.answered' && !isLive) last = textOf(event);
      if (event.type !== 'model.delta') return;
      begin();
      take(event);
    });
    begin();
    return subscription;
  });

/** An answer that calls nothing, as a delta. */
const textOf = ({ key, text, calls }: EventOf<'model.answered'>): KeyedDelta | undefined =>
  calls === 0 ? { key, delta: { type: 'text', text } } : undefined;

/** A strategy may have the model answer in a form of its own. */
const isAnsweredAsWritten = ({ output }: AgentDefinition): boolean => output?.decision === undefined;

/** Emits the values alone. */
export const valuesSoFar = (run: Run): Observable<Json> =>
  new Observable((subscriber) =>
    outputsSoFar(run).subscribe({
      next: ({ value }) => subscriber.next(value),
      complete: () => subscriber.complete(),
    }),
  );

/** An item of a list and its place, or, without an item, that the list ends there. */
export interface ElementSoFar {
  readonly index: number;
  readonly element: Json | undefined;
}

/**
 * Emits the items of an output that is a list, each when the next one has begun, or the list is whole; and the end of a
 * list that is shorter than what an answer before had made of it.
 */
export const elementsSoFar = (run: Run): Observable<ElementSoFar> =>
  new Observable((subscriber) => {
    const output = run.root.definition.agent?.output;
    const known: Json[] = [];
    let next = 0;
    let last: string | undefined;
    const take = ({ value, key, isWhole }: OutputSoFar): void => {
      // An output that is not a list has none of the items of a list that the model wrote before.
      const list = Array.isArray(value) ? value : key === undefined ? [] : undefined;
      if (list === undefined) return;
      if (key !== last) next = 0;
      last = key;
      // The last item of a list that is not closed may still grow.
      for (; next < list.length - (isWhole ? 0 : 1); next += 1) {
        const item: Json = list[next];
        const element = key === undefined ? item : itemAsChecked(item, output);
        if (element === undefined || isEqual(known[next], element)) continue;
        known[next] = element;
        subscriber.next({ index: next, element });
      }
      if (!isWhole || known.length <= list.length) return;
      known.length = list.length;
      subscriber.next({ index: list.length, element: undefined });
    };
    return outputsSoFar(run).subscribe({ next: take, complete: () => subscriber.complete() });
  });

const isEqual = (one: Json | undefined, other: Json): boolean =>
  one !== undefined && canonical(one) === canonical(other);

/** An item as the schema of its list makes it; undefined if it is not valid by itself, or cannot be checked at once. */
const itemAsChecked = (item: Json, output: OutputCheck | undefined): Json | undefined => {
  const alone = output?.checkItem?.(item);
  if (isThenable(alone)) return undefined;
  if (alone !== undefined) return alone.ok ? alone.value : undefined;
  const checked = output?.check([item]);
  if (checked === undefined || isThenable(checked)) return undefined;
  if (checked.ok) return Array.isArray(checked.value) ? checked.value[0] : undefined;
  // A list of one may be too short: that is not the item's fault.
  return checked.issues.every(({ path }) => path === '') ? item : undefined;
};
