import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { StopReason } from '../../contracts/agents/stop-reason.ts';
import type { Evaluator, Examined, ExaminedRun } from '../../contracts/tasks/evaluator.ts';
import { exact, matches } from '../evaluators/answer-evaluators.ts';
import { evaluate } from '../evaluators/evaluate.ts';
import { cost, endsFor, steps, time } from '../evaluators/limit-evaluators.ts';
import { trajectory } from '../evaluators/trajectory.ts';

/** Matchers for the result of a run. */
export interface RunMatchers {
  /** The answer is equal, but for white space around texts and the order of keys, or matches the pattern. */
  toAnswer(expected: Json | RegExp): void;
  /** The tool was called, with an input that contains this. */
  toHaveCalled(tool: string, input?: Json): void;
  /** These tools were called in this order; others may have been called between them. */
  toHaveCalledInOrder(...tools: readonly string[]): void;
  /** It ended for this reason. */
  toEndFor(reason: StopReason['kind']): void;
  /** It cost at most this number of US dollars. */
  toCostAtMost(usd: number): void;
  /** It took at most this number of ms, by its clock. */
  toTakeAtMost(ms: number): void;
  /** It took at most this number of steps, those of its members included. */
  toHaveStepsAtMost(steps: number): void;
  /** An evaluator passes it: `await expect(result).toPass(evaluators.judge({ … }))`. */
  toPass(evaluator: Evaluator): Promise<void>;
}

type Settled<Matchers> = {
  readonly [Name in keyof Matchers]: Matchers[Name] extends (...given: infer Given) => unknown
    ? (...given: Given) => Promise<void>
    : never;
};

/** The result of `expect` for a run. */
type RunAssertion = RunMatchers & { readonly not: RunMatchers };

/** The result of `expect` for the promise of a run. */
interface LateRunAssertion {
  readonly resolves: Settled<RunMatchers> & { readonly not: Settled<RunMatchers> };
}

/** The result of a matcher, as vitest and Jest read it. */
interface Matched {
  readonly pass: boolean;
  readonly message: () => string;
}

type Matcher = (received: unknown, ...given: never[]) => Matched | Promise<Matched>;

/** The `expect` of vitest, or of Jest. */
interface Expect {
  extend(matchers: Record<string, Matcher>): void;
}

/** An `expect` that has the matchers for runs, too. */
export type ExpectRun<Given extends Expect> = ((run: ExaminedRun, message?: string) => RunAssertion) &
  ((run: PromiseLike<ExaminedRun>, message?: string) => LateRunAssertion) &
  Given;

/**
 * Gives the `expect` of vitest (or Jest) matchers for runs: one line in a test, or in a file that tests import it from.
 *
 * @example
 * import { expect as plain, test } from 'vitest';
 * const expect = extendExpect(plain);
 * test('looks before it answers', async () => {
 *   const result = await clerk.run('The weather in Oslo?');
 *   expect(result).toHaveCalled('weather', { city: 'Oslo' });
 *   expect(result).toAnswer(/rain/);
 * });
 *
 * @throws {TroupeError} `input.invalid` for what is not an `expect`.
 */
export const extendExpect = <Given extends Expect>(expect: Given): ExpectRun<Given> => {
  const given: unknown = expect;
  if (typeof given !== 'function' || typeof Reflect.get(given, 'extend') !== 'function')
    throw new TroupeError(
      'input.invalid',
      `Cannot add matchers as there is no expect: write extendExpect(expect) with that of vitest, found ${foundText(given)}`,
    );
  expect.extend(matchers);
  // It has the matchers from now on, which its own type does not say.
  return expect as ExpectRun<Given>;
};

const matchers: Readonly<Record<keyof RunMatchers, Matcher>> & Record<string, Matcher> = {
  toAnswer: (run: unknown, expected: Json | RegExp) =>
    judge(
      run,
      expected instanceof RegExp ? matches(expected) : exact(expected),
      `answer ${wordsOf(expected)}`,
    ),
  toHaveCalled: (run: unknown, tool: string, input?: Json) =>
    judge(
      run,
      trajectory({ calls: [input === undefined ? tool : { tool, input }] }),
      `have called ${tool}${input === undefined ? '' : ` with ${wordsOf(input)}`}`,
    ),
  toHaveCalledInOrder: (run: unknown, ...tools: readonly string[]) =>
    judge(run, trajectory({ calls: tools }), `have called ${tools.join(', ')} in this order`),
  toEndFor: (run: unknown, reason: StopReason['kind']) => judge(run, endsFor(reason), `end for ${reason}`),
  toCostAtMost: (run: unknown, usd: number) => judge(run, cost(usd), `cost at most ${usd} US dollars`),
  toTakeAtMost: (run: unknown, ms: number) => judge(run, time(ms), `take at most ${ms} ms`),
  toHaveStepsAtMost: (run: unknown, most: number) => judge(run, steps(most), `have at most ${most} steps`),
  toPass: async (run: unknown, evaluator: Evaluator) => {
    const { passed, reason, error } = await evaluate(evaluator, examine(run));
    return resultOf(passed, `pass ${evaluator.name}`, error ?? reason);
  },
};

/** Judges at once: these evaluators ask nobody. */
const judge = (run: unknown, evaluator: Evaluator, what: string): Matched => {
  const judgement = evaluator.evaluate(examine(run));
  if (isThenable(judgement)) throw new TypeError(`'${evaluator.name}' does not judge at once`);
  if (typeof judgement !== 'object') return resultOf(Number(judgement) === 1, what, undefined);
  return resultOf(judgement.passed ?? judgement.score === 1, what, judgement.reason);
};

const resultOf = (pass: boolean, what: string, reason: string | undefined): Matched => ({
  pass,
  message: () =>
    `expected the run ${pass ? 'not ' : ''}to ${what}${reason === undefined ? '' : `: ${reason}`}`,
});

const examine = (run: unknown): Examined => {
  if (!isRun(run))
    throw new TroupeError(
      'input.invalid',
      `Cannot look at the run as it is not the result of one: write expect(await agent.run(…)), found ${foundText(run)}`,
    );
  const [first] = run.events;
  return { result: run, input: first?.type === 'run.started' ? first.input : '', task: run.task };
};

/** By its shape: the result may come of another copy of troupe. */
const isRun = (run: unknown): run is ExaminedRun =>
  isJsonObject(run) && ['runId', 'status', 'stopReason', 'events', 'totals'].every((name) => name in run);

const wordsOf = (value: Json | RegExp): string =>
  value instanceof RegExp ? String(value) : JSON.stringify(toJson(value));
