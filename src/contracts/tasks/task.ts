import * as z from 'zod/mini';
import { environmentSpecSchema } from '../environments/environment-spec.ts';
import { onDemand } from '../../base/on-demand.ts';
import { inEnglish } from '../../base/schemas/in-english.ts';
import { schemaOnDemand } from '../../base/schemas/schema-on-demand.ts';

const name = onDemand(() => inEnglish(z.string().check(z.trim(), z.minLength(1))));

const taskResourceSchema = onDemand(() =>
  z.strictObject({
    kind: z.enum(['file', 'folder', 'url', 'artifact']),
    /** A path below the environment's root, a URL, or the name of an artifact. */
    locator: name(),
    /** Its place in the environment: a relative path. */
    mount: z.optional(z.string()),
    /** Default `read`. */
    access: z._default(z.enum(['read', 'write']), 'read'),
    /** Default true: its absence is a problem. */
    required: z._default(z.boolean(), true),
    description: z.optional(z.string()),
  }),
);

/** A resource that a task uses or produces. */
export type TaskResource = z.infer<ReturnType<typeof taskResourceSchema>>;

const successCriterionSchema = onDemand(() =>
  z.union([
    /** In words: a judge decides. */
    z.pipe(
      name(),
      z.transform((criterion) => ({ kind: 'judge' as const, criterion })),
    ),
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('exact'), expected: z.json() }),
      z.strictObject({
        kind: z.literal('contains'),
        text: z.string().check(z.minLength(1)),
        ignoreCase: z.optional(z.boolean()),
      }),
      z.strictObject({
        kind: z.literal('matches'),
        pattern: z.string().check(z.minLength(1)),
        flags: z.optional(z.string()),
      }),
      z.strictObject({ kind: z.literal('judge'), criterion: name() }),
      /** Name of an evaluator that is passed to the evaluation. */
      z.strictObject({ kind: z.literal('evaluator'), name: name() }),
    ]),
  ]),
);

/** A condition on the answer; each is evaluated on the finished run. */
export type SuccessCriterion = z.output<ReturnType<typeof successCriterionSchema>>;

const taskBudgetSchema = onDemand(() =>
  z.strictObject({
    steps: z.optional(z.int().check(z.positive())),
    timeMs: z.optional(z.number().check(z.positive())),
    /** In and out together. */
    tokens: z.optional(z.int().check(z.positive())),
    toolCalls: z.optional(z.int().check(z.nonnegative())),
    /** In US dollars. */
    usd: z.optional(z.number().check(z.nonnegative())),
  }),
);

/** Limits of a task; unset: no limit of its own. */
export type TaskBudget = z.infer<ReturnType<typeof taskBudgetSchema>>;

/** Schema of a {@link Task}; a plain string is its objective. Unknown keys are issues. */
export const taskSchema = schemaOnDemand(() =>
  z.strictObject({
    id: z._default(name(), 'task'),
    objective: name(),
    inputs: z._default(z.record(z.string(), z.json()), {}),
    resources: z._default(z.array(taskResourceSchema()), []),
    environment: z.optional(environmentSpecSchema()),
    constraints: z._default(z.array(name()), []),
    successCriteria: z._default(z.array(successCriterionSchema()), []),
    budget: z._default(taskBudgetSchema(), {}),
    metadata: z._default(z.record(z.string(), z.json()), {}),
  }),
);

/**
 * A task as data: an objective, its inputs, its limits and its success criteria.
 *
 * Plain JSON: it can be stored, sent and read back with {@link taskSchema}.
 */
export type Task = z.output<typeof taskSchema>;

/** A task as written by a caller: a string, or an objective with any of the other fields. */
export type TaskInput = string | z.input<typeof taskSchema>;

/** Every way in which a task can be unfit. */
const taskIssueCodes = [
  'task.id',
  'task.objective',
  'task.inputs',
  'task.budget.steps',
  'task.budget.time',
  'task.budget.tokens',
  'task.budget.toolCalls',
  'task.budget.usd',
  'task.environment',
  'task.constraints',
  'task.criteria',
  'task.metadata',
  'task.invalid',
  'task.threw',
  'resource.kind',
  'resource.locator',
  'resource.mount',
  'resource.invalid',
  'resource.missing',
  'resource.not-writable',
  'resource.parent-not-writable',
] as const;

/** Every way in which an environment can be unfit for a task and its tools. */
const environmentIssueCodes = [
  'environment.missing',
  'environment.group-missing',
  'environment.unhealthy',
  'environment.threw',
] as const;

/** See {@link taskIssueCodes} and {@link environmentIssueCodes}. */
export type IssueCode = (typeof taskIssueCodes)[number] | (typeof environmentIssueCodes)[number];

/** A problem that prevents a run from starting. */
export interface PreflightIssue {
  readonly code: IssueCode;
  /** Dotted path into the task; `environment` or a group of operations for the others. */
  readonly field: string;
  readonly message: string;
}
