import {
  aBoolean,
  aText,
  anything,
  byName,
  fulfilling,
  listOf,
  objectWith,
  oneOf,
  optional,
  shapeOf,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { Json } from '../../base/json/json.ts';
import { optionsCheck, type OptionsOwner } from '../../contracts/errors/check-options.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { runShape, storeSchema } from '../../runtime/run/run-schema.ts';

/** Faults of a proof, beside what models may say, tools may return and people may answer. */
export const faults = ['model', 'refusal', 'tool', 'denial', 'limit', 'abort'] as const;

/**
 * A fault: `model`: a call of a model fails for good; `refusal`: a model refuses; `tool`: a call fails; `denial`: a person says no; `limit`: a budget
 * or a limit of steps is reached before an agent decides; `abort`: the run is aborted.
 */
export type Fault = (typeof faults)[number];

/** Options of a proof. */
export interface ProofOptions extends Pick<RunOptions, 'safety' | 'signal'> {
  /** Properties that have to hold. Default: none; the report is of interest without them, too. */
  readonly properties?: readonly Property[] | undefined;
  /** The input of the run, which no more than one is of. Default `go`. */
  readonly input?: Json | undefined;
  /** Faults that may happen. Default: all but `abort`. */
  readonly faults?: readonly Fault[] | undefined;
  /** By the name of a tool, the inputs that models may call it with. Default: samples of its schema. */
  readonly calls?: Readonly<Record<string, readonly Json[]>> | undefined;
  /** By the name of a tool, what its calls may return. Default: samples of its output schema, else `done`. */
  readonly results?: Readonly<Record<string, readonly Json[]>> | undefined;
  /** By the name of an agent, the answers that it may give. Default: samples of its output schema, else a text. */
  readonly answers?: Readonly<Record<string, readonly Json[]>> | undefined;
  /** Calls that a model may make in one answer, at most. Default 1. */
  readonly callsAtOnce?: number | undefined;
  /** Moves from the start, at most: what lies behind is not looked at, and the report says so. Default: no limit. */
  readonly depth?: number | undefined;
  /** States, at most. Default 100,000. */
  readonly states?: number | undefined;
  /** Tells steps apart, so that a rule that counts them is followed exactly, up to that many. Default: steps count where an agent has a limit of 20 or fewer. */
  readonly steps?: number | undefined;
  /** Replays the story of a violation by a genuine run. Default true. */
  readonly confirm?: boolean | undefined;
}

/** Options of an audit of stored runs. */
export interface AuditOptions extends Pick<RunOptions, 'signal'> {
  readonly properties: readonly Property[];
  /** The store whose runs are audited. */
  readonly over: JournalStore;
  /** Ids of the runs. Default: all of the agent's, the newest `limit` of them. */
  readonly runs?: readonly string[] | undefined;
  /** Default 1,000. */
  readonly limit?: number | undefined;
}

const PROOF: OptionsOwner = { code: 'input.invalid', owner: 'the proof', verb: 'make' };
const AUDIT: OptionsOwner = { code: 'input.invalid', owner: 'the audit', verb: 'make' };

/** A list of properties. */
export const propertyList = () =>
  listOf(
    objectWith(['next', 'violation'], 'not a property: make it by `property` of troupe/policy'),
    'not a list of properties',
  );

const someValues = () =>
  byName(
    fulfilling((given) => Array.isArray(given) && given.length > 0, 'not a list of values: write [ … ]'),
  );

/** Checks the options of a proof. @throws {TroupeError} `input.invalid` */
export const checkProof = optionsCheck<ProofOptions>(PROOF, () => ({
  ...shapeOf(runShape(), ['safety', 'signal']),
  properties: optional(propertyList()),
  input: anything(),
  faults: optional(listOf(oneOf(faults), 'not a list of faults')),
  calls: optional(someValues()),
  results: optional(someValues()),
  answers: optional(someValues()),
  callsAtOnce: optional(wholeNumber(1)),
  depth: optional(wholeNumber(1)),
  states: optional(wholeNumber(1)),
  steps: optional(wholeNumber(1)),
  confirm: optional(aBoolean()),
}));

/** Checks the options of an audit. @throws {TroupeError} `input.invalid` */
export const checkAudit = optionsCheck<AuditOptions>(AUDIT, () => ({
  ...shapeOf(runShape(), ['signal']),
  properties: propertyList(),
  over: storeSchema(),
  runs: optional(listOf(aText(1), 'not a list of ids of runs')),
  limit: optional(wholeNumber(1)),
}));
