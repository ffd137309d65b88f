import type { JournalStore } from '../../contracts/journals/journal.ts';
import { messageOf } from '../../contracts/errors/error.ts';
import type { EvalCase } from '../../contracts/tasks/eval-case.ts';
import type { ExaminedRun } from '../../contracts/tasks/evaluator.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import type { StoredCase } from '../datasets/stored-cases.ts';
import { storedCases } from '../datasets/stored-cases.ts';
import { LiveBudget } from '../rehearsal/live-budget.ts';
import { liveFrom } from '../rehearsal/live-run.ts';
import { replayWith } from '../rehearsal/replayed-run.ts';
import type { Comparison } from './comparison.ts';
import { comparisonOf } from './comparison.ts';
import { KnownCases } from './eval-cases.ts';
import type { Candidate, CompareOptions, EvalOptions, EvaluatedAgent } from './eval-options.ts';
import type { LeftRun } from './eval-report.ts';
import { reportOf } from './eval-report.ts';
import { examinedRun } from './examined-run.ts';
import { withoutJudges } from './grade-runs.ts';
import type { GradedCase } from './graded-run.ts';
import { gradeRun } from './graded-run.ts';
import { runCases } from './run-cases.ts';

/** The sides of a comparison, and the cases. */
interface Sides {
  readonly baseline: EvaluatedAgent;
  readonly candidate: Candidate;
  readonly dataset: string;
  readonly rows: readonly EvalCase[];
}

/** Runs both sides for each case. Answers on record are nobody's: such cases are left out. */
export const compareLive = async (
  definition: EvalOptions,
  { baseline, candidate, dataset, rows }: Sides,
  options: CompareOptions,
): Promise<Comparison> => {
  const open = rows.filter(({ output }) => output === undefined);
  const { agent = baseline, model } = candidate;
  const before = await runCases(open, definition, options);
  const after = await runCases(open, definition, {
    ...options,
    agent,
    ...(model === undefined ? {} : { model }),
  });
  return comparisonOf({
    name: definition.name,
    candidates: namesOf(baseline, candidate),
    baseline: reportOf(definition, { agent: baseline.name, dataset, ...before }),
    candidate: reportOf(definition, { agent: agent.name, dataset, ...after }),
    left: rows
      .filter(({ output }) => output !== undefined)
      .map(({ id }) => ({ runId: id, reason: 'it has an answer on record' })),
    hasTimes: true,
  });
};

/**
 * Compares over stored runs: the baseline is what is on record, and the candidate is driven through the same runs. As long as it does the same,
 * it is answered from the journal; where it differs it goes on in a fork that is thrown away, and only that is paid for.
 */
export const compareOver = async (
  definition: EvalOptions,
  baseline: EvaluatedAgent,
  candidate: Candidate,
  { over: store, limit, budgetUsd, judges, tools, signal }: CompareOptions & { readonly over: JournalStore },
): Promise<Comparison> => {
  const { agent = baseline, model } = candidate;
  const { asked, skipped } = withoutJudges(definition.evaluators, judges);
  const driver = new Driver(agent, { store, model, signal, tools, budgetUsd });
  const before: GradedCase[] = [];
  const after: GradedCase[] = [];
  const left: LeftRun[] = [];
  const known = await KnownCases.of(definition);
  for (const each of await storedCases({ store, agent: baseline.name, limit })) {
    if (signal?.aborted === true) break;
    const row = known.complete(each.row);
    try {
      const recorded = examinedRun(each.stored);
      const driven = await driver.drive(each, recorded);
      if (typeof driven === 'string') {
        left.push({ runId: row.id, reason: driven });
        continue;
      }
      const one = await gradeRun(recorded, row, asked, signal);
      before.push({ case: row, tries: [one], isLabelled: true });
      const other = driven === recorded ? one : await gradeRun(driven, row, asked, signal);
      after.push({ case: row, tries: [other], isLabelled: driven === recorded });
    } catch (thrown) {
      left.push({ runId: row.id, reason: messageOf(thrown) });
    }
  }
  const dataset = store.name;
  return comparisonOf({
    name: definition.name,
    candidates: namesOf(baseline, candidate),
    baseline: reportOf(definition, { agent: baseline.name, dataset, cases: before, skipped, left }),
    candidate: reportOf(definition, { agent: agent.name, dataset, cases: after, skipped, left }),
    left,
    hasTimes: false,
    spent: { modelCalls: driver.modelCalls, costUsd: driver.costUsd },
  });
};

/** Drives a candidate through recorded runs. */
class Driver {
  readonly #agent: EvaluatedAgent;
  readonly #options: Pick<CompareOptions, 'model' | 'signal' | 'tools'> & { readonly store: JournalStore };
  readonly #budget: LiveBudget;
  modelCalls = 0;
  costUsd: number | undefined = 0;

  constructor(
    agent: EvaluatedAgent,
    { budgetUsd, ...options }: CompareOptions & { readonly store: JournalStore },
  ) {
    this.#agent = agent;
    this.#options = options;
    this.#budget = new LiveBudget(budgetUsd);
  }

  /** The run as the candidate leads it: the recorded one itself if it does the same, or the reason why it is unknown. */
  async drive({ entry }: StoredCase, recorded: ExaminedRun): Promise<ExaminedRun | string> {
    const { tools, ...options } = this.#options;
    const candidate = journaledDefinition(this.#agent);
    const { records, difference, unseen, failure } = await replayWith(candidate, entry.runId, options);
    if (failure !== undefined) return failure.message;
    if (difference === undefined)
      return unseen.length === 0
        ? recorded
        : `it cannot be compared whole: ${[...new Set(unseen)].join('; ')}`;
    const run = { entry, records, ended: { status: recorded.status, output: examinedOutput(recorded) } };
    const agent = this.#agent;
    const { end, result } = await liveFrom(
      { agent, candidate },
      run,
      difference,
      options,
      { tools },
      this.#budget,
    );
    this.modelCalls += end.modelCalls;
    this.costUsd =
      this.costUsd === undefined || end.costUsd === undefined ? undefined : this.costUsd + end.costUsd;
    if (end.stopped !== undefined || result === undefined)
      return `it was stopped as ${end.stopped ?? 'it failed'}`;
    return result;
  }
}

const examinedOutput = ({ events }: ExaminedRun) => {
  const ended = events.findLast((event) => event.type === 'run.ended');
  return ended?.type === 'run.ended' ? ended.output : undefined;
};

const namesOf = (baseline: EvaluatedAgent, { name, agent, model }: Candidate): Comparison['candidates'] => {
  const ofModel = typeof model === 'string' || model === undefined ? model : `${model.provider}:${model.id}`;
  return { baseline: baseline.name, candidate: name ?? ofModel ?? agent?.name ?? 'candidate' };
};
