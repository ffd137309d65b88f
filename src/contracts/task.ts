import * as z from 'zod';
import { environmentSpecSchema } from './environment.ts';
import { onDemand } from './on-demand.ts';
import { schemaOnDemand } from './schema-on-demand.ts';

const name = onDemand(() => z.string().trim().min(1));

const taskResourceSchema = onDemand(() =>
  z.strictObject({
    kind: z.enum(['file', 'folder', 'url', 'artifact']),
    /** A path below the environment's root, a URL, or the name of an artifact. */
    locator: name(),
    /** Where it is to appear in the environment: a relative path. */
    mount: z.string().optional(),
    /** Default `read`. */
    access: z.enum(['read', 'write']).default('read'),
    /** Default true: its absence is a problem. */
    required: z.boolean().default(true),
    description: z.string().optional(),
  }),
);

/** Something that a task works on or makes. */
export type TaskResource = z.infer<ReturnType<typeof taskResourceSchema>>;

const successCriterionSchema = onDemand(() =>
  z.union([
    /** In words: a judge decides. */
    name().transform((criterion) => ({ kind: 'judge' as const, criterion })),
    z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('exact'), expected: z.json() }),
      z.strictObject({
        kind: z.literal('contains'),
        text: z.string().min(1),
        ignoreCase: z.boolean().optional(),
      }),
      z.strictObject({
        kind: z.literal('matches'),
        pattern: z.string().min(1),
        flags: z.string().optional(),
      }),
      z.strictObject({ kind: z.literal('judge'), criterion: name() }),
      /** By the name of an evaluator that is given to the evaluation. */
      z.strictObject({ kind: z.literal('evaluator'), name: name() }),
    ]),
  ]),
);

/** What has to hold of the answer; each is evaluated on the finished run. */
export type SuccessCriterion = z.output<ReturnType<typeof successCriterionSchema>>;

const taskBudgetSchema = onDemand(() =>
  z.strictObject({
    steps: z.number().int().positive().optional(),
    timeMs: z.number().positive().optional(),
    /** In and out together. */
    tokens: z.number().int().positive().optional(),
    toolCalls: z.number().int().nonnegative().optional(),
    /** In US dollars. */
    usd: z.number().nonnegative().optional(),
  }),
);

/** The most that a task may use; unset: no limit of its own. */
export type TaskBudget = z.infer<ReturnType<typeof taskBudgetSchema>>;

/** What {@link Task} is checked against; a plain string is its objective. A key that there is not is an issue. */
export const taskSchema = schemaOnDemand(() =>
  z.strictObject({
    id: name().default('task'),
    objective: name(),
    inputs: z.record(z.string(), z.json()).default({}),
    resources: z.array(taskResourceSchema()).default([]),
    environment: environmentSpecSchema().optional(),
    constraints: z.array(name()).default([]),
    successCriteria: z.array(successCriterionSchema()).default([]),
    budget: taskBudgetSchema().default({}),
    metadata: z.record(z.string(), z.json()).default({}),
  }),
);

/**
 * What is to be done, as data: an objective, what it works on, what limits it and how success shows.
 *
 * Plain JSON: it can be stored, sent and read back with {@link taskSchema}.
 */
export type Task = z.output<typeof taskSchema>;

/** A task as people write it: a string, or an objective with as much beside it as they like. */
export type TaskInput = string | z.input<typeof taskSchema>;

/** Every way in which a task can be unfit. */
export const taskIssueCodes = [
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
export const environmentIssueCodes = [
  'environment.missing',
  'environment.group-missing',
  'environment.unhealthy',
  'environment.threw',
] as const;

/** See {@link taskIssueCodes} and {@link environmentIssueCodes}. */
export type IssueCode = (typeof taskIssueCodes)[number] | (typeof environmentIssueCodes)[number];

/** One thing that keeps a run from beginning. */
export interface PreflightIssue {
  readonly code: IssueCode;
  /** Dotted path into the task; `environment` or a group of operations for the others. */
  readonly field: string;
  readonly message: string;
}
