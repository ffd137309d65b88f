import { oneOf, optional } from '../../base/schemas/option-schemas.ts';
import { optionProblems, optionsCheck, refusedOptions } from '../../contracts/errors/check-options.ts';
import type { ModelChoice } from '../../contracts/models/model.ts';
import type { AbortOptions } from '../../contracts/runs/run-control.ts';
import { modelSchema } from '../define/common-schemas.ts';

/** Checks the options of an abort. @throws {TroupeError} `input.invalid` */
export const checkAbort = optionsCheck<AbortOptions>(
  { code: 'input.invalid', owner: 'a run', verb: 'abort' },
  () => ({ after: optional(oneOf(['step'])) }),
);

/** Checks a model that a run shall use. @throws {TroupeError} `input.invalid` */
export const checkModel = (model: ModelChoice): void => {
  const problems = optionProblems(modelSchema(), model);
  if (problems.length > 0)
    throw refusedOptions(
      problems.map((problem) => problem.replace('its options are', 'it is')),
      { code: 'input.invalid', owner: 'the model', verb: 'use' },
    );
};
