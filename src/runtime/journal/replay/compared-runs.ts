import { canonical } from '../../../base/json/canonical.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { EventOf, RuntimeEvent } from '../../../contracts/events/event.ts';
import { RunCounter } from '../../actors/run-counter.ts';

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
  /** Number of events before the first difference, over all addresses; entered phases are not counted. */
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

/** A side of a comparison. */
export type Side = keyof Sides<unknown>;

/** The events at one address, and how many of them are the same on both sides. */
interface ComparedPath extends Sides<RuntimeEvent[]> {
  shared: number;
  /** True once both sides have an event there, and these differ. */
  hasParted: boolean;
}

/**
 * Two runs that are compared as they grow.
 *
 * C1  Each event is read once, however often the comparison is asked for.
 * C2  The order in which the sides take turns changes nothing.
 * C3  That a phase was entered follows from the events in it, and is none of those that are compared: no recording has them.
 */
export class ComparedRuns {
  readonly #paths = new Map<string, ComparedPath>();
  readonly #summaries: Sides<SideSummary> = { left: new SideSummary(), right: new SideSummary() };

  /** Takes in the next event of a side. */
  take(side: Side, event: RuntimeEvent): void {
    this.#summaries[side].take(event);
    if (event.type === 'phase.entered') return;
    let at = this.#paths.get(event.path);
    if (at === undefined)
      this.#paths.set(event.path, (at = { left: [], right: [], shared: 0, hasParted: false }));
    at[side].push(event);
    while (!at.hasParted && at.shared < at.left.length && at.shared < at.right.length)
      if (eventEssence(at.left[at.shared]) === eventEssence(at.right[at.shared])) at.shared += 1;
      else at.hasParted = true;
  }

  /** The comparison of what both sides have by now. */
  get comparison(): RunComparison {
    const paths = [...this.#paths];
    const [parted] = paths.flatMap(partingAt).toSorted(inOrderOfParting);
    const rest = (side: Side): readonly RuntimeEvent[] =>
      paths.flatMap(([, at]) => at[side].slice(at.shared)).toSorted((one, other) => one.seq - other.seq);
    const [left, right] = [rest('left'), rest('right')];
    const both = <T>(of: (events: readonly RuntimeEvent[]) => T): Sides<T> => ({
      left: of(left),
      right: of(right),
    });
    return {
      isSame: parted === undefined,
      shared: paths.reduce((sum, [, { shared }]) => sum + shared, 0),
      parted,
      phases: { left: phasesOf(paths, 'left'), right: phasesOf(paths, 'right') },
      messages: both(messagesIn),
      calls: both(callsIn),
      totals: { left: this.#summaries.left.summary, right: this.#summaries.right.summary },
    };
  }
}

const partingAt = ([path, { left, right, shared }]: readonly [string, ComparedPath]): readonly Parted[] => {
  const [one, other] = [left[shared], right[shared]];
  const first = one ?? other;
  return first === undefined ? [] : [{ path, step: first.step, phase: first.phase, left: one, right: other }];
};

/** The first event decides; of two that are equally early, that of the left. */
const inOrderOfParting = (one: Parted, other: Parted): number =>
  firstSeq(one) - firstSeq(other) || (one.left?.seq ?? Infinity) - (other.left?.seq ?? Infinity);

const firstSeq = ({ left, right }: Parted): number => Math.min(left?.seq ?? Infinity, right?.seq ?? Infinity);

/** The meaning of an event, as text; the id of a request to a person is made of its run, unlike an `id` within a value. */
const eventEssence = (event: RuntimeEvent | undefined): string =>
  essence(event !== undefined && 'id' in event ? { ...event, id: undefined } : event);

/** The meaning of an event or of a part of one, as text: without all that may differ between equivalent runs. */
export const essence = (value: unknown): string =>
  canonical(
    toJson(
      JSON.parse(
        JSON.stringify(value ?? null, (key: string, part: unknown) =>
          INCIDENTAL.has(key) ? undefined : part,
        ),
      ),
    ),
  );

/** The phases that events after the first difference are in, in the order in which they began. */
const phasesOf = (paths: readonly (readonly [string, ComparedPath])[], side: Side): readonly string[] =>
  paths
    .flatMap(([, { [side]: events, shared }]) =>
      events.filter(
        ({ phase }, index) => index >= shared && phase !== undefined && phase !== events[index - 1]?.phase,
      ),
    )
    .toSorted((one, other) => one.seq - other.seq)
    .map(({ path, phase }) => `${path} ${phase}`);

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

/** The summary of a side, counted as its events come. */
class SideSummary {
  readonly #counter = new RunCounter();
  #started: EventOf<'run.started'> | undefined;
  #ended: EventOf<'run.ended'> | undefined;

  take(event: RuntimeEvent): void {
    this.#counter.count(event);
    if (event.type === 'run.started') this.#started ??= event;
    if (event.type === 'run.ended') this.#ended = event;
  }

  get summary(): RunSummary {
    const { status, output, totals = this.#counter.totals } = this.#ended ?? {};
    return {
      input: this.#started?.input,
      status,
      output,
      steps: totals.steps,
      modelCalls: totals.modelCalls,
      toolCalls: totals.toolCalls,
      inputTokens: totals.inputTokens,
      outputTokens: totals.outputTokens,
      costUsd: totals.costUsd,
    };
  }
}
