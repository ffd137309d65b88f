import type { z } from 'zod';
import { onDemand } from '../../base/on-demand.ts';
import {
  anything,
  aText,
  byName,
  objectLike,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import type { SubtreeLimits } from '../../contracts/runs/tree-limits.ts';
import { allotmentSchema, budgetSchema } from '../../policy/budget-schema.ts';
import { hooksSchema, mailboxSchema, subtreeShape } from './common-schemas.ts';
import { memberPolicySchema, supervisionSchema } from './supervision-schema.ts';
import type { TeamSetup } from './team-setup.ts';

/** The options that every team has, whatever its pattern, for the schema of a pattern. Its name is checked where it is read. */
export const teamShape = (): OptionShape<TeamSetup> => ({
  name: anything(),
  description: optional(aText()),
  hooks: optional(hooksSchema()),
  budget: optional(budgetSchema()),
  mailbox: optional(mailboxSchema()),
  budgets: optional(byName(allotmentSchema())),
  limits: optional(optionsSchema<SubtreeLimits>(subtreeShape())),
  supervision: optional(supervisionSchema()),
  memberTimeMs: optional(wholeNumber(1)),
  asMember: optional(memberPolicySchema()),
});

/** The schema of what every team may be given; the options of its pattern are checked by that. */
export const teamSchema = onDemand((): z.ZodType => objectLike({ ...teamShape() }, 'no object'));
