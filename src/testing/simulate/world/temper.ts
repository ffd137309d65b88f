import type { FaultKind } from '../../resilience/fault.ts';
import { kindsOf } from '../../resilience/fault.ts';
import type { Choices } from './choices.ts';

/** Everything that may differ from a calm run. */
export const unrests = ['model', 'tool', 'store', 'process', 'time', 'order', 'person', 'caller'] as const;

/** A part of the world that a seed may make restless: faults of dependencies, times, orders, people and callers. */
export type Unrest = (typeof unrests)[number];

/** The temper of one run: how often each part of the world is not calm. */
export type Temper = Readonly<Record<Unrest | 'calls' | 'answers', number>>;

/** The shares of each part, one of which a seed draws: mostly calm, as what many things hide in few are found by. */
const SHARES: Readonly<Record<Unrest, readonly [number, ...number[]]>> = {
  model: [0, 0, 0.05, 0.2],
  tool: [0, 0, 0.1, 0.4],
  store: [0, 0, 0, 0.03],
  process: [0, 0, 0.03, 0.1],
  time: [0, 0.2, 0.6],
  order: [0, 0.3, 0.7],
  person: [0, 0.3, 0.7],
  caller: [0, 0, 0.6],
};

/** Draws the temper of a run: each seed has another one, so that some runs have one fault alone, and others all at once. */
export const temperOf = (choices: Choices, wanted: readonly Unrest[]): Temper => {
  const dice = choices.dice('temper');
  const shares = unrests.map((unrest): readonly [Unrest, number] => {
    const share = dice.pick(SHARES[unrest]);
    return [unrest, wanted.includes(unrest) ? share : 0];
  });
  const calls = dice.pick([0.3, 0.6, 0.9]);
  const answers = dice.pick([0, 0.3, 0.8]);
  // All parts are among them.
  return { ...(Object.fromEntries(shares) as Record<Unrest, number>), calls, answers };
};

/** Faults that last make a run fail early, so that they are rare. */
const LASTING: ReadonlySet<FaultKind> = new Set([
  'model-key-refused',
  'model-down',
  'model-limited',
  'model-gone',
  'tool-broken',
  'tool-gone',
  'store-down',
]);

/** The kinds of faults of a dependency, those that pass three times. */
export const drawnKinds = (
  dependency: 'model' | 'tool' | 'store' | 'process',
): readonly [FaultKind, ...FaultKind[]] => {
  const kinds = kindsOf(dependency).flatMap((kind) => (LASTING.has(kind) ? [kind] : [kind, kind, kind]));
  const [first, ...others] = kinds;
  if (first === undefined) throw new Error(`no fault of ${dependency}`);
  return [first, ...others];
};

/** Times that answers take, in ms: about as long as time limits, and longer. */
export const delays = [1, 10, 1_000, 5_000, 29_999, 30_000, 60_000, 90_000, 600_000] as const;

/** Times that people take, in ms: from a minute to a week. */
export const peoplesDelays = [60_000, 600_000, 3_600_000, 28_800_000, 86_400_000, 604_800_000] as const;
