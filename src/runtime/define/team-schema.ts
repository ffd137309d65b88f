import {
  anything,
  aText,
  byName,
  optional,
  optionsSchema,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import { allotmentSchema, budgetSchema } from '../../policy/budget-schema.ts';
import { hooksSchema, mailboxSchema, subtreeShape } from './common-schemas.ts';
import { memberPolicySchema, supervisionSchema } from './supervision-schema.ts';
import type { TeamFailures, TeamLimits, TeamSetup } from './team-setup.ts';

/** The options that every team has, whatever its pattern, for the schema of a pattern. Its name is checked where it is read. */
export const teamShape = (): OptionShape<TeamSetup> => ({
  name: anything(),
  description: optional(aText()),
  hooks: optional(hooksSchema()),
  mailbox: optional(mailboxSchema()),
  limits: optional(
    optionsSchema<TeamLimits>({
      ...subtreeShape(),
      budget: optional(budgetSchema()),
      budgets: optional(byName(allotmentSchema())),
      memberTimeMs: optional(wholeNumber(1)),
    }),
  ),
  failures: optional(
    optionsSchema<TeamFailures>({
      supervision: optional(supervisionSchema()),
      asMember: optional(memberPolicySchema()),
    }),
  ),
});
