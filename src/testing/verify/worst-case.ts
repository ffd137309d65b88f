import { modelRetryDefaults } from '../../models/retry/retry-policy.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { stepLimit } from './step-limit.ts';
import type { Found, Searched, Step } from './search.ts';

/** The most that a run may use, by its charts and its budgets; null where nothing bounds it. */
export interface WorstCase {
  /** Steps of all agents together. */
  readonly steps: number | null;
  /** Requests to models, retries and fallbacks included; those of summaries, critics and tools are not. */
  readonly modelCalls: number | null;
  readonly toolCalls: number | null;
  readonly tokens: number | null;
  readonly usd: number | null;
}

type Kind = keyof WorstCase;

/**
 * Sums up what agents may use, along the dearest way through the states of a proof: each agent that is engaged may use what its own limits
 * allow. A round that engages agents is bounded by the budget of the whole run alone.
 */
export const worstCaseOf = (root: Definition, { found, steps, begun, cut }: Searched): WorstCase => {
  const [start] = found;
  const ways = start === undefined || cut > 0 ? undefined : waysFrom(start, steps);
  const bound = (kind: Kind): number | null => {
    const whole = budgetOf(root, kind);
    const along =
      ways === undefined
        ? Infinity
        : costOf(begun, kind) + dearestOf(ways, ({ engaged }) => costOf(engaged, kind));
    const most = Math.min(whole, along);
    return most === Infinity ? null : most;
  };
  return {
    steps: bound('steps'),
    modelCalls: bound('modelCalls'),
    toolCalls: bound('toolCalls'),
    tokens: bound('tokens'),
    usd: bound('usd'),
  };
};

const costOf = (engaged: readonly Definition[], kind: Kind): number =>
  engaged.reduce((all, each) => all + amountOf(each, kind), 0);

/** A budget of that kind; model calls have none. */
const budgetOf = ({ budget }: Definition, kind: Kind): number =>
  kind === 'modelCalls' ? Infinity : (budget?.[kind] ?? Infinity);

/** The most that an agent may use by itself; a team uses nothing. */
const amountOf = (definition: Definition, kind: Kind): number => {
  const { agent } = definition;
  if (agent === undefined) return 0;
  if (kind === 'steps') return stepLimit(definition);
  if (kind === 'toolCalls' && agent.tools.length === 0) return 0;
  if (kind !== 'modelCalls') return budgetOf(definition, kind);
  const attempts = agent.retry?.attempts ?? modelRetryDefaults.attempts;
  return stepLimit(definition) * attempts * Math.max(1, agent.models.length);
};

/** All ways from a state: the moves by where they begin, and the states of each round. */
interface Ways {
  readonly after: ReadonlyMap<Found, readonly Step[]>;
  readonly roundOf: ReadonlyMap<Found, number>;
  /** Those that are left for good first. */
  readonly rounds: readonly (readonly Found[])[];
}

const waysFrom = (start: Found, steps: readonly Step[]): Ways => {
  const after = new Map<Found, Step[]>();
  for (const step of steps) {
    const known = after.get(step.from);
    if (known === undefined) after.set(step.from, [step]);
    else known.push(step);
  }
  const roundOf = roundsOf(start, after);
  const rounds: Found[][] = [];
  for (const [place, round] of roundOf) (rounds[round] ??= []).push(place);
  return { after, roundOf, rounds };
};

/** The cost of the dearest way, Infinity if a round on it costs something. The last round is that of the start. */
const dearestOf = ({ after, roundOf, rounds }: Ways, costOf: (step: Step) => number): number => {
  const dearest: number[] = [];
  for (const [round, places] of rounds.entries()) {
    let most = 0;
    for (const place of places)
      for (const step of after.get(place) ?? []) {
        const cost = costOf(step);
        const next = roundOf.get(step.to) ?? round;
        if (next === round && cost > 0) return Infinity;
        most = Math.max(most, cost + (next === round ? 0 : (dearest[next] ?? 0)));
      }
    dearest.push(most);
  }
  return dearest.at(-1) ?? 0;
};

/** Numbers the strongly connected parts of a graph (Tarjan), with a stack of its own: a way may be longer than the call stack is deep. */
const roundsOf = (start: Found, after: ReadonlyMap<Found, readonly Step[]>): ReadonlyMap<Found, number> => {
  const rounds = new Map<Found, number>();
  const order = new Map<Found, number>();
  const lowest = new Map<Found, number>();
  const open: Found[] = [];
  const path: { readonly place: Found; next: number }[] = [];
  let count = 0;
  const visit = (place: Found): void => {
    order.set(place, order.size);
    lowest.set(place, order.size - 1);
    open.push(place);
    path.push({ place, next: 0 });
  };
  const lower = (place: Found, to: number): void => {
    lowest.set(place, Math.min(lowest.get(place) ?? to, to));
  };
  visit(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { place } = top;
    const to = after.get(place)?.[top.next]?.to;
    top.next += 1;
    if (to !== undefined) {
      const seen = order.get(to);
      if (seen === undefined) visit(to);
      else if (!rounds.has(to)) lower(place, seen);
      continue;
    }
    path.pop();
    const above = path.at(-1);
    if (above !== undefined) lower(above.place, lowest.get(place) ?? Infinity);
    if (lowest.get(place) !== order.get(place)) continue;
    for (let last = open.pop(); last !== undefined; last = last === place ? undefined : open.pop())
      rounds.set(last, count);
    count += 1;
  }
  return rounds;
};
