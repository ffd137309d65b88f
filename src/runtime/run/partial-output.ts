import { catchError, defer, EMPTY, filter, from, map, merge, mergeMap, type Observable } from 'rxjs';
import type { AgentDefinition } from '../../actors/agent-definition.ts';
import { canonical } from '../../base/json/canonical.ts';
import { isJsonObject, type Json, type JsonObject } from '../../base/json/json.ts';
import { jsonSchemaIssues } from '../../tools/schemas/json-schema-check.ts';
import { AnswerDraft } from './answer-draft.ts';
import type { Run } from './run.ts';

/** The output of a run as far as it has come. */
export interface OutputSoFar {
  readonly value: Json;
  /** The key of the answer that is being written; undefined for the output of the result. */
  readonly key: string | undefined;
}

/** Emits the output of a run as its model writes it; last that of the result, if the run completes. */
export const outputsSoFar = (run: Run): Observable<OutputSoFar> => {
  // Subscribed at once: who awaits the result later finds that this has emitted it.
  const whole = from(run.result).pipe(
    // The failure of a run is the business of its result.
    catchError(() => EMPTY),
    filter(({ status, output }) => status === 'completed' && output !== undefined),
    map(({ output = null }) => ({ value: output, key: undefined })),
  );
  return merge(writtenOutputs(run), whole);
};

const writtenOutputs = (run: Run): Observable<OutputSoFar> =>
  defer(() => {
    const { path, definition } = run.root;
    if (definition.agent === undefined || !isAnsweredAsWritten(definition.agent)) return EMPTY;
    const draft = new AnswerDraft(definition.agent);
    return run.log.stream.events$.pipe(
      mergeMap((event) => {
        if (event.type !== 'model.delta' || event.path !== path || !draft.take(event)) return EMPTY;
        const { value } = draft;
        return value === undefined ? EMPTY : [{ value, key: event.key }];
      }),
    );
  });

/** A strategy may have the model answer in a form of its own. */
const isAnsweredAsWritten = ({ output }: AgentDefinition): boolean => output?.decision === undefined;

/** An item of a list, and its place. */
export interface ElementSoFar {
  readonly index: number;
  readonly element: Json;
}

/** Emits the items of an output that is a list, each when the next one has begun, or the list is whole. */
export const elementsSoFar = (run: Run): Observable<ElementSoFar> =>
  defer(() => {
    const isValid = itemCheck(run.root.definition.agent);
    const known: Json[] = [];
    let next = 0;
    let last: string | undefined;
    return outputsSoFar(run).pipe(
      mergeMap(({ value, key }) => {
        if (!Array.isArray(value)) return EMPTY;
        const isWhole = key === undefined;
        if (key !== last) next = 0;
        last = key;
        const found: ElementSoFar[] = [];
        // The last item of a list that is being written may still grow.
        for (; next < value.length - (isWhole ? 0 : 1); next += 1) {
          const element: Json = value[next];
          if (isEqual(known[next], element) || !(isWhole || isValid(element))) continue;
          known[next] = element;
          found.push({ index: next, element });
        }
        return found;
      }),
    );
  });

const isEqual = (one: Json | undefined, other: Json): boolean =>
  one !== undefined && canonical(one) === canonical(other);

/** Checks an item by the schema of the list. */
const itemCheck = (agent: AgentDefinition | undefined): ((item: Json) => boolean) => {
  const { items, $defs, definitions } = agent?.output?.spec.schema ?? NO_SCHEMA;
  if (!isJsonObject(items)) return () => true;
  const schema = {
    ...items,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
  return (item) => jsonSchemaIssues(schema, item).length === 0;
};

const NO_SCHEMA: JsonObject = {};
