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
import type { Clock } from '../../base/clock.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Model, ModelChoice } from '../../contracts/models/model.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import { runShape } from '../../runtime/run/run-schema.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import { propertyList } from '../verify/verify-options.ts';
import type { Script } from './decision.ts';
import type { Unrest } from './world/temper.ts';
import { unrests } from './world/temper.ts';

/** An agent or a team, or a function that makes it anew for each run, as its tools or models have a state. `clock` is that of the run. */
export type SimulatedAgent = EvaluatedAgent | ((world: { readonly clock: Clock }) => EvaluatedAgent);

/** A run that has come to its end, or to where it only waits. */
export interface ExaminedSimulation {
  /** `waiting`: for a person who never answers; it was aborted then. */
  readonly status: RunResult['status'] | 'waiting';
  readonly result: RunResult<unknown, unknown>;
  readonly events: readonly RuntimeEvent[];
  /** The journal of the run, as run `simulated`. */
  readonly store: JournalStore;
  readonly seed: number;
}

/** Options of `simulate`. */
export interface SimulateOptions {
  /** The first seed. Default 1. */
  readonly seed?: number | undefined;
  /** The number of seeds, one for each run. Default 100. */
  readonly runs?: number | undefined;
  /** Days by the virtual clock, all runs together, after which no further run is started. Default: no limit. */
  readonly days?: number | undefined;
  /** A script is replayed, and no seed tried; with `orders`, in all orders. */
  readonly script?: Script | undefined;
  /** Tries all orders of what is ready at the same time, with the answers of `seed` or of `script`, else with calm ones; `runs` bounds their number (default 2,000). */
  readonly orders?: boolean | undefined;
  /** Inputs, one of which a seed draws. Default `go`. */
  readonly inputs?: readonly Json[] | undefined;
  readonly properties?: readonly Property[] | undefined;
  /** Judges a run: what it throws, `false`, or a text with the reason is a failure. */
  readonly check?: ((run: ExaminedSimulation) => unknown) | undefined;
  /** Parts of the world that are not calm. Default: all. */
  readonly unrest?: readonly Unrest[] | undefined;
  /** The model of all agents, in place of their own. A function makes one for each run. */
  readonly model?: ModelChoice | (() => Model) | undefined;
  /** `executed`: tools are; `simulated`: they are answered by the schemas of their results. Default: simulated where a generated model calls them. */
  readonly tools?: 'executed' | 'simulated' | undefined;
  /** Makes the store of each run. Default: a store in memory. */
  readonly store?: (() => JournalStore) | undefined;
  /** Options of each run: context, limits, safety, person … */
  readonly run?:
    | Omit<RunOptions, 'runId' | 'store' | 'signal' | 'clock' | 'executor' | 'model' | 'secretKey' | 'paused'>
    | undefined;
  /** Runs that a failure may take to be shrunk. Default 300. */
  readonly shrinking?: number | undefined;
  /** Called after each run with their number, and the number of failures. */
  readonly onProgress?: ((runs: number, failures: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const simulateShape = (): OptionShape<SimulateOptions> => ({
  seed: optional(wholeNumber(0)),
  runs: optional(wholeNumber(1)),
  days: optional(aNumber(0)),
  script: anything(),
  orders: optional(aBoolean()),
  inputs: optional(listOf(anything(), 'not a list of inputs: write [ … ]')),
  properties: optional(propertyList()),
  check: optional(aFunction()),
  unrest: optional(listOf(oneOf(unrests), `not a list of ${unrests.join(', ')}`)),
  model: anything(),
  tools: optional(oneOf(['executed', 'simulated'])),
  store: optional(aFunction()),
  run: optional(
    optionsSchema(
      shapeWithout(runShape(), [
        'runId',
        'store',
        'signal',
        'clock',
        'executor',
        'model',
        'secretKey',
        'paused',
      ]),
    ),
  ),
  shrinking: optional(wholeNumber(0)),
  onProgress: optional(aFunction()),
  ...shapeOf(runShape(), ['signal']),
});

/** Checks the options of `simulate`. @throws {TroupeError} `input.invalid` */
export const checkSimulate = optionsCheck<SimulateOptions>(
  { code: 'input.invalid', owner: 'an agent', verb: 'simulate' },
  simulateShape,
);
