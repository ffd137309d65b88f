import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import { aFunction, aText, optional, shapeOf, wholeNumber } from '../../base/schemas/option-schemas.ts';
import type { Json } from '../../base/json/json.ts';
import type { OptionsOwner } from '../../contracts/errors/check-options.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { ModelRequest } from '../../contracts/models/model.ts';
import type { RunResult } from '../../contracts/runs/run-result.ts';
import type { RehearseOptions } from '../rehearsal/rehearse-options.ts';
import { rehearseShape } from '../rehearsal/rehearse-options.ts';
import type { Point, Said } from './point.ts';

/** A point at which something else is wanted in place of what is on record. */
export interface RepairPoint extends Pick<Point, 'kind' | 'agent' | 'path' | 'step' | 'seq' | 'tool'> {
  readonly recorded: Said;
  /** Of an answer, the request as it is made now: after another change it may be another one than in the run. */
  readonly request?: ModelRequest | undefined;
  /** Of a result, the input of the call. */
  readonly input?: Json | undefined;
  /** Number of the attempt, from 0. */
  readonly sample: number;
}

/** The words in place of those of a point; of an answer its calls, too. */
export type Repaired = string | Partial<Said> | undefined;

/** Options of `blame`: `model`, `secrets` and the like as the run was given them. */
export interface BlameOptions extends Pick<
  RehearseOptions,
  'store' | 'model' | 'secrets' | 'secretKey' | 'context' | 'safety' | 'signal' | 'live'
> {
  /** The run that failed. */
  readonly runId: string;
  /** Judges a run that has ended: true if it fails. It is asked about the recorded run first, and about each fork. */
  readonly fails: (run: RunResult) => boolean | Promise<boolean>;
  /** Number of times that something else is tried at a point. Default 3. */
  readonly samples?: number | undefined;
  /** Says what a critic or an oracle would have said at a point; undefined leaves it to the record and the models. */
  readonly repair?: ((point: RepairPoint) => Repaired | Promise<Repaired>) | undefined;
  /** Number of other runs of the store, the newest, whose answers to equal requests are tried. Default 100. */
  readonly limit?: number | undefined;
}

const ABOUT: OptionsOwner = { code: 'input.invalid', owner: 'a run', verb: 'blame' };

const blameShape = (): OptionShape<BlameOptions> => ({
  ...shapeOf(rehearseShape(), [
    'store',
    'model',
    'secrets',
    'secretKey',
    'context',
    'safety',
    'signal',
    'live',
  ]),
  runId: aText(1),
  fails: aFunction(),
  samples: optional(wholeNumber(1)),
  repair: optional(aFunction()),
  limit: optional(wholeNumber(0)),
});

/** Checks the options of `blame`. @throws {TroupeError} `input.invalid` */
export const checkBlame = optionsCheck<BlameOptions>(ABOUT, blameShape);
