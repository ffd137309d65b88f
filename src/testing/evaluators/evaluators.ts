import { contains, exact, fits, matches } from './answer-evaluators.ts';
import { combined } from './combined.ts';
import { judgedBy } from './judged-by.ts';
import { cost, endsFor, steps, time } from './limit-evaluators.ts';
import { obeys } from './obeys.ts';
import { toolUse } from './tool-use.ts';
import { trajectory } from './trajectory.ts';

/**
 * Evaluators: each looks at a finished run, or at the journal of one, and gives a score from 0 to 1. Only `judge` asks a model.
 *
 * An evaluator without an argument takes what is expected from the case of the dataset.
 */
export const evaluators = {
  /** Passes for an equal answer; key order and white space around texts are ignored. Default: `expected` of the case. */
  exact,
  /** Passes for an answer that contains the text. Default: `expected` of the case. */
  contains,
  /** Passes for an answer that matches the pattern; an answer of more than 100,000 characters fails. */
  matches,
  /** Passes for an answer that matches the schema; a text that is JSON is parsed first. */
  fits,
  /** Passes for a run that made the expected calls: in order or in any, with others between them or without. Default: `calls` of the case. */
  trajectory,
  /** Passes for a run that used its tools as it should: those that it had to, none that it must not, not too often, without failures. */
  toolUse,
  /** Passes for a run that cost at most this number of US dollars. One whose price is not known is an error. */
  cost,
  /** Passes for a run that took at most this number of ms. */
  time,
  /** Passes for a run of at most this number of steps, its members included. */
  steps,
  /** Passes for a run that ended for one of these reasons. Default: `answered`. */
  endsFor,
  /** Passes for a run whose calls a policy would have allowed: those that it asks about need the approval of a person on record. */
  obeys,
  /** Passes for an answer that a model finds good, in a run of its own. The model must not have written the answer. */
  judge: judgedBy,
  /** Passes if all do; the score is the lowest. */
  all: <Output>(list: Parameters<typeof combined<Output>>[1]) => combined('all', list),
  /** Passes if one does; the score is the highest. */
  any: <Output>(list: Parameters<typeof combined<Output>>[1]) => combined('any', list),
  /** Passes if the mean of the scores reaches the threshold, by default 1. */
  mean: <Output>(list: Parameters<typeof combined<Output>>[1], threshold?: number) =>
    combined('mean', list, threshold),
} as const;
