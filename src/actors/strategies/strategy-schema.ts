import { onDemand } from '../../base/on-demand.ts';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  fulfilling,
  listOf,
  objectLike,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { isSchema } from '../../tools/schemas/schemas.ts';

const answerSchema = onDemand(() =>
  objectLike(
    {
      schema: fulfilling(isSchema, 'no Standard Schema'),
      repairs: wholeNumber(0),
      decision: optional(aFunction()),
    },
    'not a form of an answer: write an object with a schema and repairs',
  ),
);

/** The schema of a strategy. What more it has is its own. */
export const strategySchema = onDemand(() =>
  objectLike(
    {
      name: aText(1),
      fragments: optional(listOf(objectLike({ name: aText() }, 'not a fragment'))),
      model: optional(aFunction()),
      engine: optional(aFunction()),
      hasOwnTools: optional(aBoolean()),
      answer: optional(answerSchema()),
      retry: anything(),
      decide: optional(aFunction()),
      review: optional(aFunction()),
      critics: optional(listOf(anything())),
      maxRejections: optional(wholeNumber(0)),
      stop: optional(listOf(anything())),
    },
    'not a strategy: write one of troupe/patterns',
  ),
);
