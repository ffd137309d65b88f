import type { ChosenCall } from '../../contracts/agents/decision.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { StopRule, StopView } from '../../contracts/agents/stop-rule.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import { printOf } from './loop-detection.ts';

/** Options of {@link stagnation}. */
export interface StagnationOptions {
  /** Number of consecutive equal steps that ends the run, at least 2. Default 3. */
  readonly steps?: number | undefined;
  /** Number of equal steps from which the model is warned. Default: no warning. */
  readonly warnAt?: number | undefined;
  /** The value that has to change. Default: state, decision and results together. */
  readonly of?: ((view: StopView) => Json) | undefined;
}

/**
 * Stops after a number of consecutive equal steps (`>=`): no progress.
 *
 * @example
 * agent({ name: 'a', stop: stagnation({ steps: 5, of: ({ state }) => state }) }) // five steps that left the state alone
 *
 * @throws {TroupeError} `agent.invalid` for steps that are no whole number from 2.
 */
export const stagnation = ({ steps = 3, warnAt, of = whole }: StagnationOptions = {}): StopRule => {
  checkWhole('stagnation', 'steps', steps, 2);
  if (warnAt !== undefined) checkWhole('stagnation', 'warnAt', warnAt, 2);
  return {
    name: 'stagnation',
    remember: (view, memory) => {
      const print = printOf(JSON.stringify(of(view)) ?? '');
      const { print: before, times } = isJsonObject(memory) ? memory : NO_STEP;
      return { print, times: print === before ? numberOf(times) + 1 : 1 };
    },
    check: (_, memory) => (timesIn(memory) >= steps ? { kind: 'stagnation', steps } : undefined),
    ...(warnAt === undefined
      ? {}
      : {
          warn: (_, memory) =>
            timesIn(memory) === warnAt
              ? `Nothing has changed for ${warnAt} steps. Do something else, or give your answer with what you have.`
              : undefined,
        }),
  };
};

const NO_STEP: { readonly print?: Json; readonly times?: Json } = {};

const whole = ({ state, decision, results }: StopView): Json => [
  state,
  // A decision is plain JSON: validated, or parsed from a model's answer.
  (decision as Json | undefined) ?? null,
  ...results.map(({ tool, ok, text }): Json => [tool, ok, text]),
];

const timesIn = (memory: Json | undefined): number => (isJsonObject(memory) ? numberOf(memory['times']) : 0);

const numberOf = (value: Json | undefined): number => (typeof value === 'number' ? value : 0);

/** Options of {@link softCap}. */
export interface SoftCapOptions {
  /** Description of what is counted: `failed builds`. */
  readonly name: string;
  readonly limit: number;
  /** Returns whether a call counts, or a key if things are counted separately (a file, a host …). */
  readonly counts: (result: ToolResult, call: ChosenCall | undefined) => boolean | string | undefined;
  /** Count from which the model is warned. Default: no warning. */
  readonly warnAt?: number | undefined;
  /** The reason to show to people. */
  readonly message?: string | undefined;
}

/** Number of keys counted separately; beyond it the oldest is forgotten. */
const MAX_KEYS = 100;

/**
 * Stops when a kind of call was made, or failed, a number of times (`>=`) in the run.
 *
 * @example
 * softCap({ name: 'failed builds', limit: 3, counts: ({ tool, ok }) => tool === 'build' && !ok })
 *
 * @throws {TroupeError} `agent.invalid` for a limit that is no whole number from 1.
 */
export const softCap = ({ name, limit, counts, warnAt, message }: SoftCapOptions): StopRule => {
  checkWhole(`softCap '${name}'`, 'limit', limit, 1);
  if (warnAt !== undefined) checkWhole(`softCap '${name}'`, 'warnAt', warnAt, 1);
  /** Keys under which this step counts; `''` if things are not counted separately. */
  const counted = ({ decision, results }: StopView): readonly string[] =>
    results.flatMap((result, index) => {
      const call = decision?.kind === 'act' ? decision.calls[index] : undefined;
      const key = counts(result, call);
      return key === true ? [''] : typeof key === 'string' && key !== '' ? [key] : [];
    });
  return {
    name: `softCap(${name})`,
    remember: (view, memory) => {
      const keys = counted(view);
      if (keys.length === 0) return memory ?? [];
      const tally = new Map(entriesOf(memory));
      for (const key of keys) {
        const times = (tally.get(key) ?? 0) + 1;
        tally.delete(key);
        tally.set(key, times);
      }
      return [...tally].slice(-MAX_KEYS);
    },
    check: (_, memory) => {
      const found = entriesOf(memory).find(([, often]) => often >= limit);
      if (found === undefined) return undefined;
      const [key, times] = found;
      const detail =
        message ?? `${name}${key === '' ? '' : ` of ${key}`}: ${times}, and the limit is ${limit}`;
      return { kind: 'softCap', cap: name, limit, ...(key === '' ? {} : { key }), detail };
    },
    ...(warnAt === undefined
      ? {}
      : {
          warn: (view, memory) => {
            const key = counted(view).find((each) => timesOf(memory, each) === warnAt);
            return key === undefined
              ? undefined
              : `${name}${key === '' ? '' : ` of ${key}`}: ${warnAt} so far, and ${limit} end your work. Do something else.`;
          },
        }),
  };
};

const timesOf = (memory: Json | undefined, key: string): number =>
  entriesOf(memory).find(([known]) => known === key)?.[1] ?? 0;

const entriesOf = (memory: Json | undefined): readonly (readonly [string, number])[] =>
  Array.isArray(memory)
    ? memory.flatMap((entry) =>
        Array.isArray(entry) && typeof entry[0] === 'string' ? [[entry[0], numberOf(entry[1])] as const] : [],
      )
    : [];

const checkWhole = (rule: string, option: string, value: unknown, least: number): void => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return;
  throw new TroupeError(
    'agent.invalid',
    `Cannot stop by ${rule} as its ${option} is not a whole number from ${least}: found ${foundText(value)}`,
  );
};
