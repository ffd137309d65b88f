import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import type { Evaluator } from '../../contracts/tasks/evaluator.ts';
import { ofType } from '../../events/stream/select.ts';
import { settledResult } from '../../runtime/journal/replay/replay.ts';
import type { EvalOptions, EvalRunOptions, EvaluatedAgent } from './eval-options.ts';
import type { GradedCase, GradedRun } from './graded-run.ts';
import { gradeAnswer, gradeRun, ungradedRun } from './graded-run.ts';

/** Runs at once by default. */
const CONCURRENCY = 4;

/** The cases with their graded runs. */
export interface CasesRun {
  readonly cases: readonly GradedCase[];
  /** The reason why some of the cases were not run. */
  readonly stopped: string | undefined;
}

/**
 * Runs the agent for each case, as often as there are tries, and grades what it did; an answer on record is graded as it is. Cases stay in
 * order, and so do the tries of each. No further run is started when the budget is spent, or the signal aborted.
 *
 * @throws {TroupeError} `input.invalid` for a case without an answer where there is no agent.
 */
export const runCases = async (
  rows: readonly EvalCase[],
  definition: EvalOptions,
  { agent = definition.agent, ...options }: EvalRunOptions & { readonly agent?: EvaluatedAgent | undefined },
): Promise<CasesRun> => {
  const { evaluators } = definition;
  const { concurrency = definition.concurrency ?? CONCURRENCY, signal, onProgress } = options;
  const { tries = definition.tries ?? 1, budgetUsd = Infinity } = options;
  const jobs = rows.flatMap((row, index) => {
    const isAnswered = row.output !== undefined;
    if (!isAnswered && agent === undefined) throw noAgent(definition.name, row);
    return Array.from({ length: isAnswered ? 1 : tries }, () => ({ row, index }));
  });
  const graded: (GradedRun | undefined)[] = [];
  const purse = new Purse(budgetUsd);
  let [next, ended] = [0, 0];
  let stopped: string | undefined;
  const work = async (): Promise<void> => {
    for (let at = next++; at < jobs.length; at = next++) {
      stopped ??= signal?.aborted === true ? 'it was aborted' : purse.refusal();
      const row = jobs[at]?.row;
      if (row === undefined || stopped !== undefined) return;
      const run =
        row.output !== undefined || agent === undefined
          ? await gradeAnswer(row, evaluators, signal)
          : await runCase(agent, row, evaluators, optionsFor(definition, options));
      graded[at] = run;
      purse.pay(run);
      ended += 1;
      onProgress?.(ended, jobs.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, jobs.length) }, work));
  const isWhole = ended === jobs.length;
  return {
    cases: rows.map((row, index) => ({
      case: row,
      tries: graded.flatMap((run, at) => (run !== undefined && jobs[at]?.index === index ? run : [])),
      isLabelled: row.output !== undefined,
    })),
    stopped: isWhole ? undefined : `${stopped ?? 'it ended early'}: ${ended} of ${jobs.length} runs`,
  };
};

/** The money for all runs. */
class Purse {
  readonly #limitUsd: number;
  #spentUsd = 0;
  #isUnknown = false;

  constructor(limitUsd: number) {
    this.#limitUsd = limitUsd;
  }

  /** The reason why no further run may be started; undefined if there is none. */
  refusal(): string | undefined {
    if (this.#limitUsd === Infinity) return undefined;
    if (this.#isUnknown) return 'the price of a model is not known, so no budget can be held: give `prices`';
    return this.#spentUsd >= this.#limitUsd
      ? `the budget of ${this.#limitUsd} US dollars is spent`
      : undefined;
  }

  pay({ metrics, evaluations }: GradedRun): void {
    this.#isUnknown ||= metrics !== undefined && metrics.costUsd === undefined;
    this.#spentUsd += evaluations.reduce((sum, { costUsd = 0 }) => sum + costUsd, metrics?.costUsd ?? 0);
  }
}

const noAgent = (name: string, { id }: EvalCase): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot run the eval '${name}' as case '${id}' has no \`output\`, and there is no agent to answer it: give the eval an \`agent\``,
  );

const optionsFor = ({ run }: EvalOptions, { model, store, signal }: EvalRunOptions): RunOptions => ({
  ...run,
  signal,
  ...(model === undefined ? {} : { model }),
  ...(store === undefined ? {} : { store }),
});

const runCase = async (
  agent: EvaluatedAgent,
  row: EvalCase,
  evaluators: readonly Evaluator[],
  options: RunOptions,
): Promise<GradedRun> => {
  const handle = agent.stream(row.input, options);
  // Nobody is there to be asked, and a run that waits would never end.
  if (options.person === undefined)
    handle.events$.pipe(ofType(...ASKING)).subscribe({
      next: () => handle.abort(UNATTENDED),
      error: () => undefined,
    });
  // A run that failed has a result all the same; one that was never started has none.
  const result = await settledResult(handle.result);
  if (result !== undefined) return gradeRun(result, row, evaluators, options.signal);
  const why = await handle.result.then(() => 'it left no result', messageOf);
  return ungradedRun(why, evaluators);
};

/** Events by which a run asks a person. */
const ASKING = ['person.asked', 'tool.approval-requested', 'tool.ambiguous'] as const;

const UNATTENDED = 'it asks a person, and an eval has none: give it one by `run: { person }`';
