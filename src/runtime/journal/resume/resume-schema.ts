import type {
  ResumeOptions,
  ResumeAllOptions,
  RunOrResumeOptions,
  ForkOptions,
  ForkChange,
  ReplayOptions,
} from './resume-options.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import type { OptionShape } from '../../../base/schemas/option-schemas.ts';
import {
  optional,
  optionsSchema,
  anything,
  aText,
  listOf,
  shapeOf,
  shapeWithout,
  wholeNumber,
  formOr,
  isObject,
} from '../../../base/schemas/option-schemas.ts';
import type { OptionsOwner } from '../../../contracts/errors/check-options.ts';
import { optionsCheck } from '../../../contracts/errors/check-options.ts';
import { modelSchema } from '../../define/common-schemas.ts';
import { laterLimitsSchema, runShape, storeSchema } from '../../run/run-schema.ts';
import type { RunPoint } from './run-point.ts';

const ABOUT: OptionsOwner = { code: 'input.invalid', owner: 'a run', verb: 'resume' };

/** Options that only a start takes: a resumed run has them from its journal. */
const resumeShape = (): OptionShape<ResumeOptions> => ({
  ...shapeWithout(runShape(), ['runId', 'history', 'thread', 'task', 'inspect', 'paused']),
  store: storeSchema(),
  limits: optional(laterLimitsSchema()),
});

/** Checks the options of `resume`. @throws {TroupeError} `input.invalid` */
export const checkResume = optionsCheck<ResumeOptions>(ABOUT, resumeShape);

/** Checks the options of `resumeAll`. @throws {TroupeError} `input.invalid` */
export const checkResumeAll = optionsCheck<ResumeAllOptions>({ ...ABOUT, owner: 'the runs of a store' }, () =>
  shapeWithout(resumeShape(), ['store']),
);

/** Checks the options of `runOrResume`. @throws {TroupeError} `input.invalid` */
export const checkRunOrResume = optionsCheck<RunOrResumeOptions>(ABOUT, () => ({
  ...shapeWithout(runShape(), ['inspect', 'paused']),
  runId: aText(1),
  store: storeSchema(),
}));

/** The schema of a point of a run. */
const pointSchema = () =>
  formOr(
    (given) => isObject(given) && 'seq' in given,
    optionsSchema<{ readonly seq: number }>({ seq: wholeNumber(0) }),
    optionsSchema<Extract<RunPoint, { step: number }>>({ step: wholeNumber(0) }),
  );

/** Checks the options of `fork`. @throws {TroupeError} `input.invalid` */
export const checkFork = optionsCheck<ForkOptions<unknown>>({ ...ABOUT, verb: 'fork' }, () => ({
  ...shapeWithout(resumeShape(), ['model']),
  at: optional(pointSchema()),
  change: optional(
    optionsSchema<ForkChange<unknown>>({
      model: optional(modelSchema()),
      message: anything(),
      text: optional(aText()),
      calls: optional(listOf(optionsSchema<ChosenCall>({ name: aText(1), input: anything() }))),
      state: anything(),
    }),
  ),
  by: optional(aText(1)),
  runId: optional(aText(1)),
  inspect: runShape().inspect,
}));

/** Checks the options of `replay`. @throws {TroupeError} `input.invalid` */
export const checkReplay = optionsCheck<ReplayOptions>({ ...ABOUT, verb: 'replay' }, () => ({
  ...shapeOf(runShape(), ['context', 'secrets', 'secretKey', 'inspect']),
  store: storeSchema(),
  to: optional(pointSchema()),
}));
