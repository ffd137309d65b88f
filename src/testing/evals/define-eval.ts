import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Comparison } from './comparison.ts';
import { compareLive, compareOver } from './compare-candidates.ts';
import { readCases } from './eval-cases.ts';
import type {
  Candidate,
  CompareOptions,
  EvalOptions,
  EvalRunOptions,
  EvaluatedAgent,
  GradeOptions,
} from './eval-options.ts';
import { schemaOf } from './eval-options.ts';
import type { EvalReport } from './eval-report.ts';
import { reportOf } from './eval-report.ts';
import { gradeRuns } from './grade-runs.ts';
import { runCases } from './run-cases.ts';

/** An eval: cases, evaluators and gates for an agent. */
export interface Eval {
  readonly name: string;
  /** Runs the agent for each case, and grades what it did. */
  run(options?: EvalRunOptions): Promise<EvalReport>;
  /** Grades recorded runs from their journals, for nothing. */
  grade(options: GradeOptions): Promise<EvalReport>;
  /** Compares a candidate with the agent, on the same cases. */
  compare(candidate: Candidate, options?: CompareOptions): Promise<Comparison>;
}

/**
 * Defines an eval: the cases of a dataset, evaluators that grade what an agent does with them, and gates that the whole has to pass. Nothing
 * happens until it is run; `troupe eval FILE` runs those that a module exports.
 *
 * @example
 * export default defineEval({
 *   name: 'capitals',
 *   agent: clerk,
 *   dataset: datasets.file(new URL('./capitals.jsonl', import.meta.url)),
 *   evaluators: [evaluators.contains(), evaluators.toolUse({ used: ['search'] }), evaluators.cost(0.02)],
 *   gates: [{ measure: 'passRate', atLeast: 0.9 }],
 *   tries: 3,
 * });
 *
 * @throws {TroupeError} `input.invalid` for invalid options.
 */
export const defineEval = (options: EvalOptions): Eval => {
  const name = typeof options?.name === 'string' ? options.name : '';
  checkOptions(schemaOf('eval'), options, { code: 'input.invalid', owner: `the eval '${name}'` });
  assertEvaluators(options);
  const about = { code: 'input.invalid', owner: `the eval '${name}'`, verb: 'run' } as const;
  return {
    name,
    run: async (given = {}) => {
      checkOptions(schemaOf('run'), given, about);
      const { dataset, rows } = await readCases(options, given.limit);
      const { cases, stopped } = await runCases(rows, options, given);
      return reportOf(options, { agent: options.agent?.name, dataset, cases, stopped });
    },
    grade: (given) => {
      checkOptions(schemaOf('grade'), given, { ...about, verb: 'grade runs by' });
      return gradeRuns(options, given);
    },
    compare: async (candidate, given = {}) => {
      checkOptions(schemaOf('candidate'), candidate, { ...about, owner: 'a candidate', verb: 'compare' });
      checkOptions(schemaOf('compare'), given, { ...about, verb: 'compare candidates by' });
      const baseline = ownAgent(options);
      if (given.over !== undefined)
        return compareOver(options, baseline, candidate, { ...given, over: given.over });
      const { dataset, rows } = await readCases(options, given.limit);
      return compareLive(options, { baseline, candidate, dataset, rows }, given);
    },
  };
};

const assertEvaluators = ({ name, evaluators }: EvalOptions): void => {
  const names = evaluators.map((each) => each.name);
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  const why =
    evaluators.length === 0
      ? 'it has no evaluators, and would pass whatever happens'
      : twice !== undefined &&
        `two evaluators are named '${twice}': give one another name, as in { ...evaluators.exact(), name: 'unit' }`;
  if (why !== false) throw new TroupeError('input.invalid', `Cannot define the eval '${name}' as ${why}`);
};

const ownAgent = ({ name, agent }: EvalOptions): EvaluatedAgent => {
  if (agent !== undefined) return agent;
  throw new TroupeError('input.invalid', `Cannot compare by the eval '${name}' as it has no agent`);
};
