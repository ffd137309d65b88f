import { oneOf, optional, shapeWithout } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { runShape } from '../run/run-schema.ts';
import type { LogicOptions } from './logic-options.ts';

/** Checks the options of `logicWith`. @throws {TroupeError} `agent.invalid` */
export const checkLogicOptions = optionsCheck<LogicOptions>(
  { code: 'agent.invalid', owner: 'a logic', verb: 'make' },
  () => ({
    ...shapeWithout(runShape(), ['inspect']),
    onStop: optional(oneOf(['abort', 'suspend'])),
  }),
);
