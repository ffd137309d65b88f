import type { RuntimeEvent } from '../../../contracts/event.ts';
import { canonical } from '../../../contracts/canonical.ts';
import type { Json } from '../../../contracts/json.ts';
import { toJson } from '../../../contracts/json.ts';
import { RunCounter } from '../../actors/run-counter.ts';

/** What can be compared: a result, or what came of going through a run again. */
export interface Comparable {
  readonly events: readonly RuntimeEvent[];
}

/** The first event that two runs do not share: who, where, and what each has there. */
export interface Parted {
  readonly path: string;
  readonly step: number | undefined;
  readonly phase: string | undefined;
  /** Undefined where the run had nothing more to tell at that address. */
  readonly left: RuntimeEvent | undefined;
  readonly right: RuntimeEvent | undefined;
}

/** One side, as far as it can be set beside another. */
export interface RunSummary {
  /** What it was begun with. */
  readonly input: Json | undefined;
  readonly status: string | undefined;
  readonly output: Json | undefined;
  readonly steps: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In US dollars; undefined where one call's price is not known. */
  readonly costUsd: number | undefined;
}

/** What tells two runs apart. */
export interface RunComparison {
  readonly isSame: boolean;
  /** Events that they share before they part, over all addresses. */
  readonly shared: number;
  readonly parted: Parted | undefined;
  /** Phases in order, of what comes after they parted. */
  readonly phases: Sides<readonly string[]>;
  /** What was said by models, people and agents after they parted. */
  readonly messages: Sides<readonly string[]>;
  /** Tool calls after they parted, with their inputs. */
  readonly calls: Sides<readonly string[]>;
  readonly totals: Sides<RunSummary>;
}

/** The same thing of both. */
export interface Sides<T> {
  readonly left: T;
  readonly right: T;
}

/** What two runs of one meaning may differ in. */
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
 * Where two runs part, and what came of each: path, messages, calls, cost and output.
 *
 * Events are compared address by address, in order, without times and ids: agents that work side by side may take turns
 * otherwise.
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
