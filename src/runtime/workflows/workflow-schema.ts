import { onDemand } from '../../base/on-demand.ts';
import type { Json } from '../../base/json/json.ts';
import {
  aBoolean,
  aFraction,
  aFunction,
  anything,
  aText,
  aTime,
  formOr,
  oneOf,
  oneOrMore,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { budgetSchema } from '../../policy/budget-schema.ts';
import { hooksSchema, subtreeShape } from '../define/common-schemas.ts';
import { memberPolicySchema } from '../define/supervision-schema.ts';
import type { TeamFailures } from '../define/team-setup.ts';
import type { WorkflowLimits, WorkflowOptions } from './plan.ts';
import type { MapOptions } from './workflow-builder.ts';

/** The schema of a workflow's options. Its name is checked where it is read. */
export const workflowSchema = onDemand(() =>
  optionsSchema<WorkflowOptions>({
    name: anything(),
    description: optional(aText()),
    mode: optional(oneOf(['strict', 'partial'])),
    limits: optional(
      optionsSchema<WorkflowLimits>({
        ...subtreeShape(),
        concurrency: optional(wholeNumber(1)),
        budget: optional(budgetSchema()),
        holdAt: optional(aFraction()),
      }),
    ),
    resolveMs: optional(aTime()),
    hooks: optional(hooksSchema()),
    failures: optional(
      optionsSchema<Pick<TeamFailures, 'asMember'>>({ asMember: optional(memberPolicySchema()) }),
    ),
  }),
);

/** The schema of a node's options. */
export const nodeSchema = onDemand(() =>
  optionsSchema<MapOptions<Json, Readonly<Record<string, Json>>, Json, Json>>({
    input: anything(),
    after: optional(oneOrMore(aText(1))),
    retry: optional(wholeNumber(0)),
    exhausted: optional(oneOf(['fail', 'hold'])),
    optional: optional(formOr((given) => given === 'skip', anything(), aBoolean())),
    held: optional(aBoolean()),
    condition: optional(aFunction()),
    timeMs: optional(aTime()),
    join: optional(oneOf(['all', 'any'])),
    over: anything(),
    concurrency: optional(wholeNumber(1)),
  }),
);
