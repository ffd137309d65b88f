import type { Json } from '../../base/json/json.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFunction,
  aNumber,
  anything,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  shapeOf,
  shapeWithout,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Model, ModelChoice } from '../../contracts/models/model.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { runShape } from '../../runtime/run/run-schema.ts';
import type { Dependency } from './fault.ts';
import { dependencies } from './fault.ts';

/** Options of `injectFaults`. */
export interface InjectFaultsOptions {
  readonly input: Json;
  /**
   * The model of all runs, in place of the agent's own. It is asked for the run without faults, and then only for requests that were not in that
   * one. A function makes one for each run, which is asked for everything but where a run is resumed: a scripted model would be at its end.
   */
  readonly model?: ModelChoice | (() => Model) | undefined;
  /** Default: all. */
  readonly faults?: readonly Dependency[] | undefined;
  /** The places of each kind of fault, at most: the first and the last, and others between them. Default 10. */
  readonly limit?: number | undefined;
  /** Time by the virtual clock after which a run is taken for hung, in ms. Default 3,600,000: an hour. */
  readonly patienceMs?: number | undefined;
  /** Checks whether an answer is as good as that of the run without a fault. Default: it is the same. */
  readonly isSame?: ((output: Json, baseline: Json) => boolean) | undefined;
  /** Approves each call that needs it, in place of a person. One that may have been made is left to a person all the same. Default false. */
  readonly approve?: boolean | undefined;
  /** Options of each run: context, limits, safety, person … */
  readonly run?: Omit<RunOptions, 'runId' | 'store' | 'signal' | 'clock' | 'executor' | 'model'> | undefined;
  /** Called with the number of faults that were injected, and that of all. */
  readonly onProgress?: ((injected: number, of: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const faultShape = (): OptionShape<InjectFaultsOptions> => ({
  input: anything(),
  model: anything(),
  faults: optional(listOf(oneOf(dependencies), `not a list of ${dependencies.join(', ')}`)),
  limit: optional(wholeNumber(1)),
  patienceMs: optional(aNumber(1)),
  isSame: optional(aFunction()),
  approve: optional(aBoolean()),
  run: optional(
    optionsSchema(shapeWithout(runShape(), ['runId', 'store', 'signal', 'clock', 'executor', 'model'])),
  ),
  onProgress: optional(aFunction()),
  ...shapeOf(runShape(), ['signal']),
});

/** Checks the options of `injectFaults`. @throws {TroupeError} `input.invalid` */
export const checkFaults = optionsCheck<InjectFaultsOptions>(
  { code: 'input.invalid', owner: 'an agent', verb: 'inject faults into' },
  faultShape,
);
