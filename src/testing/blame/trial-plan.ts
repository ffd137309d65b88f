import type { ModelAnswer } from '../../contracts/models/model.ts';
import type { Point } from './point.ts';

/** The origin of what is said in place of the record: the caller's `repair`, another run, a model that is asked again, a tool that is executed again. */
export type Origin = 'repair' | 'record' | 'model' | 'tool';

/** An answer, a result or a text that is given at a point, and can be given again. */
export interface Given {
  readonly origin: Origin;
  /** True if it was asked for as in the run: nothing before it had changed. */
  readonly isFirst: boolean;
  readonly answer?: ModelAnswer | undefined;
  /** Returns or throws a tool's result. */
  readonly play?: (() => unknown) | undefined;
  /** A message from outside. */
  readonly text?: string | undefined;
}

/** A change that is tried on a fork. */
export interface TrialPlan {
  /** Points at which something else is said. */
  readonly points: readonly Point[];
  /** By key of the point; where there is none, something new is asked for. */
  readonly given?: ReadonlyMap<string, Given> | undefined;
  /** Number of the attempt, from 0. */
  readonly sample: number;
  /** Answers of models that are on no record, by what was asked: they are used, and further ones are put there. */
  readonly known: Map<string, ModelAnswer>;
}
