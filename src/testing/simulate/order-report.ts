import type { Json } from '../../base/json/json.ts';
import type { Decision, Script } from './decision.ts';
import type { Deciding, JudgedRun, RunMaker } from './judged-run.ts';
import type { OrderedRun, TriedOrders } from './all-orders.ts';
import { outcomeOf } from './all-orders.ts';
import type { SimulatedStatus } from './judged-run.ts';
import { shrinkScript } from './shrink.ts';
import type { SimulatedStory } from './story.ts';

/** An end that some orders have. */
export interface OrderOutcome {
  readonly status: SimulatedStatus;
  readonly output?: Json | undefined;
  /** The number of orders that were tried and end so. */
  readonly orders: number;
  /** The shortest script that does. */
  readonly script: Script;
  readonly story: SimulatedStory;
}

/** The report of all orders. */
export interface OrderReport {
  /** Orders that were tried: of those that no agent can tell apart, one. */
  readonly tried: number;
  /** True if there is no other order that could make a difference. */
  readonly isComplete: boolean;
  /** The places whose order the result depends on; empty if it depends on none. */
  readonly dependsOn: readonly string[];
  /** Different ends, the calm one first; at most 5. */
  readonly outcomes: readonly OrderOutcome[];
}

/** Different ends that a report shows. */
const SHOWN = 5;

/** Makes the report of the orders that were tried: each end with its shortest script. */
export const reportOrders = async (
  maker: RunMaker,
  base: Deciding,
  { tried, isComplete, outcomes }: TriedOrders,
  { agent, shrinking }: { readonly agent: string; readonly shrinking: number },
): Promise<OrderReport> => {
  const found: OrderOutcome[] = [];
  const dependsOn = new Set<string>();
  for (const [key, { run, turns, orders }] of [...outcomes].slice(0, SHOWN)) {
    const { decisions, story } = await shortestOrder(maker, { run, turns }, base, key, shrinking);
    if (outcomes.size > 1) for (const { at, what } of decisions) if (what === 'turn') dependsOn.add(at);
    found.push({
      status: run.status,
      ...(run.output === undefined ? {} : { output: run.output }),
      orders,
      script: { agent, seed: base.seed, decisions },
      story,
    });
  }
  return { tried, isComplete, dependsOn: [...dependsOn], outcomes: found };
};

/** The fewest turns with which a run ends so. */
const shortestOrder = async (
  maker: RunMaker,
  { run, turns }: OrderedRun,
  { seed }: Deciding,
  key: string,
  shrinking: number,
): Promise<{ readonly decisions: readonly Decision[]; readonly story: SimulatedStory }> => {
  const others = run.decisions.filter(({ what }) => what !== 'turn');
  const withTurns = (left: readonly Decision[]): Promise<JudgedRun> =>
    maker.make({ seed, decisions: [...others, ...left] });
  const { decisions } = await shrinkScript(
    turns,
    async (left) => outcomeOf(await withTurns(left)) === key,
    shrinking,
  );
  const last = await withTurns(decisions);
  return { decisions: [...others, ...decisions], story: last.story() };
};
