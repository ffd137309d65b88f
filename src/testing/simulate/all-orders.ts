import { hashOf } from '../../base/hash.ts';
import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { DrivenTimer } from '../resilience/driven-clock.ts';
import type { Decision } from './decision.ts';
import type { Deciding, JudgedRun, RunMaker } from './judged-run.ts';
import type { Choose, Past } from './world/simulated-world.ts';

/** A run with one order, and the turns that make it. */
export interface OrderedRun {
  readonly run: JudgedRun;
  readonly turns: readonly Decision[];
}

/** Everything that was found by trying orders. */
export interface TriedOrders {
  readonly tried: number;
  /** True if there is no other order that could make a difference. */
  readonly isComplete: boolean;
  /** By status and output, the first run that ended so, and the number of those that did. */
  readonly outcomes: ReadonlyMap<string, OrderedRun & { orders: number }>;
}

/** A choice that was made: what was ready, and what was chosen. */
interface Point {
  readonly labels: readonly string[];
  readonly chosen: string;
  readonly past: string;
}

/**
 * Runs a team with all orders in which what is due at the same time can come, those first that differ least from the order of the requests.
 *
 * I1 Two orders after which each agent has seen the same, and the same code of the agents' own was executed in the same order, are one: what follows
 * is tried once.
 */
export const tryOrders = async (
  maker: RunMaker,
  base: Deciding,
  {
    most,
    isOver,
    onRun,
  }: {
    readonly most: number;
    readonly isOver: () => boolean;
    readonly onRun: (run: OrderedRun) => Promise<void>;
  },
): Promise<TriedOrders> => {
  const queue: (readonly string[])[] = [[]];
  const seen = new Set<string>();
  const outcomes = new Map<string, OrderedRun & { orders: number }>();
  let tried = 0;
  for (let index = 0; index < queue.length && tried < most && !isOver(); index += 1) {
    const prefix = queue[index] ?? [];
    const points: Point[] = [];
    const run = await maker.make({ ...base, choose: chooseBy(prefix, points) });
    tried += 1;
    const turns = turnsOf(points);
    const key = outcomeOf(run);
    const known = outcomes.get(key);
    if (known === undefined) outcomes.set(key, { run, turns, orders: 1 });
    else known.orders += 1;
    await onRun({ run, turns });
    for (const [place, { labels, chosen, past }] of points.entries()) {
      seen.add(`${past} ${chosen}`);
      if (place < prefix.length) continue;
      for (const label of labels) {
        if (seen.has(`${past} ${label}`)) continue;
        seen.add(`${past} ${label}`);
        queue.push([...points.slice(0, place).map((point) => point.chosen), label]);
      }
    }
  }
  return { tried, isComplete: tried >= queue.length, outcomes };
};

/** The outcome of a run, as far as an order may not change it. */
export const outcomeOf = ({ status, output }: JudgedRun): string =>
  `${status} ${canonical(toJson(output ?? null))}`;

/** Chooses by a prefix, then the one that was asked for first; notes each choice. */
const chooseBy = (prefix: readonly string[], points: Point[]): Choose => {
  const counts = new Map<DrivenTimer, string>();
  const labelOf = (timer: DrivenTimer): string => {
    const known = counts.get(timer) ?? timer.label ?? `${TIMER}${counts.size}`;
    counts.set(timer, known);
    return known;
  };
  return (ready, past) => {
    const [first] = ready;
    const wanted = prefix[points.length];
    const next = ready.find((timer) => labelOf(timer) === wanted) ?? first;
    const labels = ready.map(labelOf);
    points.push({ labels, chosen: labelOf(next), past: keyOf(past, labels) });
    return next;
  };
};

/** The past as far as agents can tell: what each has seen, in its order. */
const keyOf = ({ events, executed }: Past, ready: readonly string[]): string => {
  const byPath = new Map<string, string[]>();
  const see = (path: string, event: RuntimeEvent): void => {
    const seen = byPath.get(path) ?? [];
    seen.push(withoutPlace(event));
    byPath.set(path, seen);
  };
  for (const event of events) {
    see(event.path, event);
    // A team sees the ends of its members, and who a message reaches is not in its event.
    if (event.type === 'member.ended') see(event.path.slice(0, event.path.lastIndexOf('/')), event);
    if (event.type.startsWith('message.')) see('', event);
  }
  const lists = [...byPath].toSorted(([one], [other]) => one.localeCompare(other));
  const text = JSON.stringify([lists, executed, ready.toSorted()]);
  return `${hashOf(text)} ${hashOf(`once more ${text}`)}`;
};

const withoutPlace = ({ seq: _seq, at: _at, ...event }: RuntimeEvent): string => JSON.stringify(event);

/** The turns that make the same choices: each is before all that were chosen later, and after the timers of the runtime that came first. */
const turnsOf = (points: readonly Point[]): readonly Decision[] => {
  const passed = new Set(
    points.flatMap(({ chosen, labels }) =>
      isTimer(chosen) ? labels.filter((label) => !isTimer(label)) : [],
    ),
  );
  const places = new Map(points.map(({ chosen }, place) => [chosen, place]));
  for (const label of passed) if (!places.has(label)) places.set(label, points.length);
  return [...places].flatMap(([label, place]): readonly Decision[] => {
    if (isTimer(label)) return [];
    return [{ at: label, what: 'turn', value: passed.has(label) ? place + 1 : place - points.length }];
  });
};

/** Timers of the runtime have no label of their own. */
const isTimer = (label: string): boolean => label.startsWith(TIMER);

const TIMER = 'timer ';
