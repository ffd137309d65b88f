import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import { canonical } from '../../../base/json/canonical.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import { RunCounter } from '../../actors/run-counter.ts';

/** A run that can be compared: a result or a replay. */
export interface Comparable {
  readonly events: readonly RuntimeEvent[];
}

/** The first event in which two runs differ: its address, step and phase, and the event on each side. */
export interface Parted {
  readonly path: string;
  readonly step: number | undefined;
  readonly phase: string | undefined;
  /** Undefined if the run has no more events at that address. */
  readonly left: RuntimeEvent | undefined;
  readonly right: RuntimeEvent | undefined;
}

/** Totals of one side. */
export interface RunSummary {
  /** The run's input. */
  readonly input: Json | undefined;
  readonly status: string | undefined;
  readonly output: Json | undefined;
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars; undefined if the price of any call is unknown. */
  readonly costUsd: number | undefined;
}

/** The differences between two runs. */
export interface RunComparison {
  readonly isSame: boolean;
  /** Number of events before the first difference, over all addresses. */
  readonly shared: number;
  readonly parted: Parted | undefined;
  /** Phases after the first difference, in order. */
  readonly phases: Sides<readonly string[]>;
  /** Texts of models, people and agents after the first difference. */
  readonly messages: Sides<readonly string[]>;
  /** Tool calls after the first difference, with their inputs. */
  readonly calls: Sides<readonly string[]>;
  readonly totals: Sides<RunSummary>;
}

/** One value for each of the two runs. */
export interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

/** Fields that may differ between equivalent runs. */
const INCIDENTAL: ReadonlySet<string> = new Set([
  'at',
  'seq',
  'runId',
  'key',
  'errorId',
  'startedAt',
  'endedAt',
  'durationMs',
  'dueAt',
  'until',
  'now',
]);

/**
 * Compares two runs: finds the first difference, and gives path, messages, calls, cost and output of each after it.
 *
 * Events are compared per address, in order, ignoring times and ids, since agents that work concurrently may interleave differently.
 *
 * @example
 * const { parted, totals } = compare(await replay(clerk, 'run-17', { store }), await replay(clerk, 'fork-1', { store }));
 * if (parted !== undefined) console.log(`${parted.path} parts in step ${parted.step}`, totals.left.costUsd, totals.right.costUsd);
 */
export const compare = (left: Comparable, right: Comparable): RunComparison => {
  const sides = { left: byPath(left.events), right: byPath(right.events) };
  const paths = new Set([...sides.left.keys(), ...sides.right.keys()]);
  const partings = [...paths].map((path) =>
    partingOf(path, sides.left.get(path) ?? [], sides.right.get(path) ?? []),
  );
  const parted = partings
    .flatMap((each) => each.parted ?? [])
    .toSorted((one, other) => firstSeq(one) - firstSeq(other))[0];
  const rest = {
    left: partings.flatMap((each) => each.left),
    right: partings.flatMap((each) => each.right),
  };
  const both = <T>(of: (events: readonly RuntimeEvent[]) => T): Sides<T> => ({
    left: of(inOrder(rest.left)),
    right: of(inOrder(rest.right)),
  });
  return {
    isSame: parted === undefined,
    shared: partings.reduce((sum, each) => sum + each.shared, 0),
    parted,
    phases: both(phasesIn),
    messages: both(messagesIn),
    calls: both(callsIn),
    totals: { left: summaryOf(left.events), right: summaryOf(right.events) },
  };
};

const byPath = (events: readonly RuntimeEvent[]): ReadonlyMap<string, readonly RuntimeEvent[]> => {
  const found = new Map<string, RuntimeEvent[]>();
  for (const event of events) {
    const known = found.get(event.path);
    if (known === undefined) found.set(event.path, [event]);
    else known.push(event);
  }
  return found;
};

const partingOf = (path: string, left: readonly RuntimeEvent[], right: readonly RuntimeEvent[]) => {
  let shared = 0;
  while (shared < left.length && shared < right.length && essence(left[shared]) === essence(right[shared]))
    shared += 1;
  const one = left[shared];
  const other = right[shared];
  const first = one ?? other;
  const parted: Parted | undefined =
    first === undefined ? undefined : { path, step: first.step, phase: first.phase, left: one, right: other };
  return { shared, parted, left: left.slice(shared), right: right.slice(shared) };
};

const firstSeq = ({ left, right }: Parted): number => Math.min(left?.seq ?? Infinity, right?.seq ?? Infinity);

const inOrder = (events: readonly RuntimeEvent[]): readonly RuntimeEvent[] =>
  events.toSorted((one, other) => one.seq - other.seq);

const essence = (event: RuntimeEvent | undefined): string =>
  canonical(
    toJson(
      JSON.parse(
        JSON.stringify(event ?? null, (key: string, value: unknown) =>
          INCIDENTAL.has(key) ? undefined : value,
        ),
      ),
    ),
  );

const phasesIn = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'phase.entered' ? [`${event.path} ${event.phase}`] : []));

const messagesIn = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) => {
    switch (event.type) {
      case 'model.answered':
        return event.text === '' ? [] : [`${event.path}: ${event.text}`];
      case 'message.sent':
        return [`${event.from} to ${event.to}: ${event.text}`];
      case 'person.answered':
        return [`person: ${event.text}`];
      default:
        return [];
    }
  });

const callsIn = (events: readonly RuntimeEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'tool.requested' ? [`${event.path} ${event.tool}(${JSON.stringify(event.input)})`] : [],
  );

const summaryOf = (events: readonly RuntimeEvent[]): RunSummary => {
  const counter = new RunCounter();
  for (const event of events) counter.count(event);
  const end = events.findLast((event) => event.type === 'run.ended');
  const totals = end?.totals ?? counter.totals;
  return {
    input: events.find((event) => event.type === 'run.started')?.input,
    status: end?.status,
    output: end?.output,
    steps: totals.steps,
    modelCalls: totals.modelCalls,
    toolCalls: totals.toolCalls,
    inputTokens: totals.inputTokens,
    outputTokens: totals.outputTokens,
    costUsd: totals.costUsd,
  };
};
