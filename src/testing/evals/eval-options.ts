import { onDemand } from '../../base/on-demand.ts';
import type { OptionSchema, OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anything,
  aText,
  formOr,
  listOf,
  objectWith,
  oneOf,
  optional,
  optionsSchema,
  shapeOf,
  shapeWithout,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { ModelChoice } from '../../contracts/models/model.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { EvalCaseInput } from '../../contracts/tasks/eval-case.ts';
import type { Evaluator } from '../../contracts/tasks/evaluator.ts';
import type { AnyAgent } from '../../runtime/define/agent-registry.ts';
import { runShape, storeSchema } from '../../runtime/run/run-schema.ts';
import type { Dataset } from '../datasets/datasets.ts';
import { evaluatorList } from '../evaluators/evaluate.ts';
import type { LiveOptions } from '../rehearsal/rehearse-options.ts';
import { rehearseShape } from '../rehearsal/rehearse-options.ts';
import type { Gate } from './gate.ts';
import { measures } from './gate.ts';

/** An agent or team that is evaluated: its input is validated by itself. */
export type EvaluatedAgent = AnyAgent;

/** The definition of an eval. */
export interface EvalOptions {
  readonly name: string;
  /** The agent or team that is run for each case. Without it each case has to have an `output`, which is graded as it is. */
  readonly agent?: EvaluatedAgent | undefined;
  /** The cases, or where to read them. */
  readonly dataset: Dataset | readonly EvalCaseInput[];
  /** Each looks at each run; a run passes if all of them pass. */
  readonly evaluators: readonly Evaluator[];
  /** Conditions on the whole. Default: none, the eval then only measures. */
  readonly gates?: readonly Gate[] | undefined;
  /** Runs of each case, as agents do not do the same each time. Default 1. */
  readonly tries?: number | undefined;
  /** Runs at once. Default 4. */
  readonly concurrency?: number | undefined;
  /** Options of each run: model, context, limits, prices, safety … */
  readonly run?: Omit<RunOptions, 'runId' | 'store' | 'signal'> | undefined;
}

/** Options of `run`. */
export interface EvalRunOptions {
  /** The model of all runs, in place of the agent's own. */
  readonly model?: ModelChoice | undefined;
  /** Keeps the runs, so that they can be shown, replayed, blamed, and graded again. Default: none is kept. */
  readonly store?: JournalStore | undefined;
  /** In place of those of the eval. */
  readonly tries?: number | undefined;
  readonly concurrency?: number | undefined;
  /** The number of cases that are run, the first ones. Default: all. */
  readonly limit?: number | undefined;
  /** In US dollars, for all runs and judges: no run is started once it is spent. Default: no limit. */
  readonly budgetUsd?: number | undefined;
  /** Called with the number of runs that have ended, and that of all. */
  readonly onProgress?: ((ended: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of `grade`. */
export interface GradeOptions {
  readonly store: JournalStore;
  /** Ids of the runs. Default: all of the eval's agent that have ended, the newest `limit` of them. */
  readonly runs?: readonly string[] | undefined;
  /** Default 1,000. */
  readonly limit?: number | undefined;
  /** True to ask the models of judges, too, which costs. Default: those evaluators are left out, and nothing is asked. */
  readonly judges?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A candidate that is compared with the agent of an eval: another prompt, another model. */
export interface Candidate {
  /** Default: the name of the agent, or of the model. */
  readonly name?: string | undefined;
  /** Default: the agent of the eval. */
  readonly agent?: EvaluatedAgent | undefined;
  readonly model?: ModelChoice | undefined;
}

/** Options of `compare`. */
export interface CompareOptions extends EvalRunOptions {
  /** Over these stored runs of the agent, in place of the dataset: the candidate goes on from where it differs, in forks that are thrown away. */
  readonly over?: JournalStore | undefined;
  /** With `over`: `read` executes tools that only read. Default `recorded`. */
  readonly tools?: LiveOptions['tools'];
  /** With `over`: true to ask the models of judges, too. */
  readonly judges?: boolean | undefined;
}

const anAgent = (): OptionSchema => objectWith(['run', 'stream'], 'not an agent: write agent({ … })');

const gateSchema = onDemand(() =>
  together<Gate>(
    optionsSchema<Gate>({
      measure: oneOf(measures),
      evaluator: optional(aText(1)),
      k: optional(wholeNumber(1)),
      atLeast: optional(aNumber(-1)),
      atMost: optional(aNumber(-1)),
      surely: optional(aBoolean()),
    }),
    ({ measure, evaluator, k, atLeast, atMost }) => {
      if (atLeast === undefined && atMost === undefined)
        return ['atLeast', 'there, nor is `atMost`: give one of them'];
      if (measure === 'kappa' && evaluator === undefined)
        return ['evaluator', 'there: name the one whose agreement it is'];
      if (evaluator !== undefined && !['passRate', 'score', 'kappa'].includes(measure))
        return ['evaluator', `of use with the measure ${measure}: leave it out`];
      if ((k !== undefined) !== (measure === 'passPower'))
        return ['k', 'of use but with the measure passPower, which needs it'];
      return undefined;
    },
  ),
);

const evalShape = (): OptionShape<EvalOptions> => ({
  name: aText(1),
  agent: optional(anAgent()),
  dataset: formOr(
    (given) => Array.isArray(given),
    anything(),
    objectWith(
      ['read'],
      "not a list of cases, nor a dataset: write [{ input: … }] or datasets.file('cases.jsonl')",
    ),
  ),
  evaluators: evaluatorList(),
  gates: optional(listOf(gateSchema(), 'not a list of gates: write [{ measure: "passRate", atLeast: 0.9 }]')),
  tries: optional(wholeNumber(1)),
  concurrency: optional(wholeNumber(1)),
  run: optional(optionsSchema(shapeWithout(runShape(), ['runId', 'store', 'signal']))),
});

const runOptionsShape = (): OptionShape<EvalRunOptions> => ({
  ...shapeOf(runShape(), ['model', 'signal']),
  store: optional(storeSchema()),
  tries: optional(wholeNumber(1)),
  concurrency: optional(wholeNumber(1)),
  limit: optional(wholeNumber(1)),
  budgetUsd: optional(aNumber(0)),
  onProgress: optional(aFunction()),
});

const schemas = onDemand(() => ({
  eval: optionsSchema<EvalOptions>(evalShape()),
  run: optionsSchema<EvalRunOptions>(runOptionsShape()),
  grade: optionsSchema<GradeOptions>({
    ...shapeOf(rehearseShape(), ['store', 'runs', 'limit', 'signal']),
    judges: optional(aBoolean()),
  }),
  candidate: together<Candidate>(
    optionsSchema<Candidate>({
      name: optional(aText(1)),
      agent: optional(anAgent()),
      ...shapeOf(runShape(), ['model']),
    }),
    ({ agent, model }) =>
      agent === undefined && model === undefined
        ? ['agent', 'there, nor is a `model`: give one of them']
        : undefined,
  ),
  compare: optionsSchema<CompareOptions>({
    ...runOptionsShape(),
    over: optional(storeSchema()),
    tools: optional(oneOf(['recorded', 'read'])),
    judges: optional(aBoolean()),
  }),
}));

/** The schema of the options of an eval, of its runs, of grading, of a candidate, or of a comparison. */
export const schemaOf = (options: keyof ReturnType<typeof schemas>): OptionSchema => schemas()[options];
