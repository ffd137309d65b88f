import type { Json } from '../base/json/json.ts';
import { isJsonObject, toJson } from '../base/json/json.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';

/** Fields in which equivalent runs may differ: times, durations, and positions among other agents' events. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'at',
  'seq',
  'runId',
  'askedAt',
  'startedAt',
  'phaseStartedAt',
  'endedAt',
  'durationMs',
  'dueAt',
  'now',
]);

/** The part of a result that is compared. */
export type ComparableRun = Pick<
  RunResult<unknown, unknown>,
  'runId' | 'status' | 'stopReason' | 'output' | 'candidate' | 'state' | 'totals' | 'events' | 'effects'
>;

/**
 * Lists the differences between two runs, one readable line each; empty if they are equivalent.
 *
 * Events are compared by path, in order, without times: concurrent agents may interleave differently. Reports of
 * observers are ignored, as those run at their own pace: a failure after the end of one run may come before that of the
 * other. Effects are compared by key, so an effect of only one run is found too.
 *
 * @example
 * expect(compareRuns(await desk.run('…'), await desk.run('…', { store: memoryStore() }))).toEqual([]);
 */
export const compareRuns = (one: ComparableRun, other: ComparableRun): readonly string[] => {
  const [ids, otherIds] = [idsIn(one), idsIn(other)];
  return [
    ...differences('result', summaryOf(one, ids), summaryOf(other, otherIds)),
    ...byName(
      groupsOf(ownEvents(one), ids, 'path'),
      groupsOf(ownEvents(other), otherIds, 'path'),
      'events of',
    ),
    ...byName(groupsOf(one.effects, ids, 'key'), groupsOf(other.effects, otherIds, 'key'), 'effect'),
  ];
};

/** The ids of one run, which equivalent runs have others for. */
interface RunIds {
  /** The run's own: a part of every key. */
  readonly run: string;
  /** Stand-ins for those that are digests of it, as a request's is, by the order in which an actor opened them. */
  readonly digests: ReadonlyMap<string, string>;
}

const DIGEST = /^[0-9a-f]{64}$/;

const idsIn = ({ runId, events }: ComparableRun): RunIds => {
  const digests = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const event of events) {
    const { path } = event;
    const { id = '' } = 'id' in event ? event : {};
    if (!DIGEST.test(id) || digests.has(id)) continue;
    const count = (counts.get(path) ?? 0) + 1;
    counts.set(path, count);
    digests.set(id, `<request ${count} of ${path}>`);
  }
  return { run: runId, digests };
};

const summaryOf = (
  { status, stopReason, output, candidate, state, totals }: ComparableRun,
  ids: RunIds,
): Json => essence(toJson({ status, stopReason, output, candidate, state, totals }), ids);

/** The events that follow from the run itself. */
const ownEvents = ({ events }: ComparableRun): ComparableRun['events'] =>
  events.filter(({ type }) => !type.startsWith('observer.'));

type Groups = ReadonlyMap<string, readonly Json[]>;

const groupsOf = (items: readonly object[], ids: RunIds, name: string): Groups => {
  const groups = new Map<string, Json[]>();
  for (const item of items) {
    const plain = essence(toJson(item), ids);
    const named = isJsonObject(plain) ? plain[name] : undefined;
    const key = typeof named === 'string' ? named : '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [plain]);
    else group.push(plain);
  }
  return groups;
};

const byName = (one: Groups, other: Groups, what: string): readonly string[] =>
  [...new Set([...one.keys(), ...other.keys()])].flatMap((name) =>
    differences(`${what} ${name}`, one.get(name) ?? [], other.get(name) ?? []),
  );

/** Compares two values: of each list only the first difference, as everything after it is shifted. */
const differences = (place: string, one: Json | undefined, other: Json | undefined): readonly string[] => {
  if (isList(one) && isList(other)) {
    for (let index = 0; index < Math.max(one.length, other.length); index += 1) {
      const found = differences(`${place}[${index}]`, one[index], other[index]);
      if (found.length > 0) return found;
    }
    return [];
  }
  if (isJsonObject(one) && isJsonObject(other))
    return [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((key) =>
      differences(`${place}.${key}`, one[key], other[key]),
    );
  return one === other ? [] : [`${place}: ${textOf(one)} ≠ ${textOf(other)}`];
};

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

const textOf = (value: Json | undefined): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};

/** Removes incidental fields from a value, and normalises what is another for each run. */
const essence = (value: Json, ids: RunIds): Json => {
  if (typeof value === 'string') return ids.digests.get(value) ?? value.replaceAll(ids.run, '<run>');
  if (isList(value)) return value.map((item) => essence(item, ids));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      INCIDENTAL.has(key) || item === undefined ? [] : [[key, essence(item, ids)]],
    ),
  );
};
