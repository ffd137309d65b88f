import { Observable } from 'rxjs';
import type { AgentDefinition, OutputCheck } from '../../actors/agent-definition.ts';
import { canonical } from '../../base/json/canonical.ts';
import { type Json, toJson } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
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

/** Emits the output of a run as its model writes it; last that of the result, if the run completes. */
const outputsSoFar = (run: Run): Observable<OutputSoFar> =>
  new Observable((subscriber) => {
    const { path, definition } = run.root;
    const { agent } = definition;
    const draft = agent !== undefined && isAnsweredAsWritten(agent) ? new AnswerDraft(agent) : undefined;
    const take = (event: LiveEvent): void => {
      if (event.type !== 'model.delta' || event.path !== path || draft?.take(event) !== true) return;
      const { value } = draft;
      if (value !== undefined) subscriber.next({ value, key: event.key, isWhole: draft.isWhole });
    };
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
    return run.log.stream.events$.subscribe(take);
  });

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

/** An item of a list, and its place. */
export interface ElementSoFar {
  readonly index: number;
  readonly element: Json;
}

/** Emits the items of an output that is a list, each when the next one has begun, or the list is whole. */
export const elementsSoFar = (run: Run): Observable<ElementSoFar> =>
  new Observable((subscriber) => {
    const output = run.root.definition.agent?.output;
    const known: Json[] = [];
    let next = 0;
    let last: string | undefined;
    const take = ({ value, key, isWhole }: OutputSoFar): void => {
      if (!Array.isArray(value)) return;
      if (key !== last) next = 0;
      last = key;
      // The last item of a list that is not closed may still grow.
      for (; next < value.length - (isWhole ? 0 : 1); next += 1) {
        const item: Json = value[next];
        const element = key === undefined ? item : itemAsChecked(item, output);
        if (element === undefined || isEqual(known[next], element)) continue;
        known[next] = element;
        subscriber.next({ index: next, element });
      }
    };
    return outputsSoFar(run).subscribe({ next: take, complete: () => subscriber.complete() });
  });

const isEqual = (one: Json | undefined, other: Json): boolean =>
  one !== undefined && canonical(one) === canonical(other);

/** An item as the schema of its list makes it; undefined if it is not valid by itself, or cannot be checked at once. */
const itemAsChecked = (item: Json, output: OutputCheck | undefined): Json | undefined => {
  const checked = output?.check([item]);
  if (checked === undefined || isThenable(checked)) return undefined;
  if (checked.ok) return Array.isArray(checked.value) ? toJson(checked.value[0]) : undefined;
  // A list of one may be too short: that is not the item's fault.
  return checked.issues.every(({ path }) => path === '') ? item : undefined;
};
