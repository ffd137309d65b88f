import { TroupeError } from '../../contracts/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest, Usage } from '../../contracts/model.ts';
import type { Strategy } from '../../contracts/strategy.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { wrapCall } from '../../models/wrap-call.ts';
import { keyed } from './fallback.ts';

/** What {@link bestOf} needs. */
export interface BestOfOptions {
  /** Answers asked for at the same time. */
  readonly width: number;
  /** What an answer is worth; the highest is taken, of equals the first. */
  readonly score: (answer: ModelAnswer, request: ModelRequest) => number | Promise<number>;
}

/**
 * Asks the model several times at once and goes on with the best of its answers; all of them are paid for.
 *
 * An answer that fails is none; only if all fail does the call, with the first error.
 *
 * @throws {TroupeError} `agent.invalid` for a width below one.
 */
export const bestOf = ({ width, score }: BestOfOptions): Strategy => {
  if (!Number.isInteger(width) || width < 1)
    throw new TroupeError('agent.invalid', `Cannot choose the best of ${width} answers`);
  return {
    name: `best-of: ${width}`,
    model: (model) => wrapModel(model, (request, call) => sampled(model, request, call, { width, score })),
  };
};

const sampled = async (
  model: Model,
  request: ModelRequest,
  call: ModelCall,
  { width, score }: BestOfOptions,
): Promise<ModelAnswer> => {
  const settled = await Promise.allSettled(
    Array.from({ length: width }, async (_, index) => {
      const answer = await model.answer(
        request,
        muted(index === 0 ? call : keyed(call, `${call.key}/${index}`)),
      );
      return { answer, score: await score(answer, request) };
    }),
  );
  const found = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [first] = found.toSorted((a, b) => b.score - a.score);
  if (first === undefined) throw settled.find((each) => each.status === 'rejected')?.reason;
  const { answer } = first;
  if (call.isWatched && answer.text !== '') call.delta({ type: 'text', text: answer.text });
  return { ...answer, usage: found.map((each) => each.answer.usage).reduce(sum) };
};

/** Several voices at once are no text: only that they are alive is passed on. */
const muted = (call: ModelCall): ModelCall =>
  wrapCall(call, {
    delta: () => {
      call.delta({ type: 'progress' });
    },
  });

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: (a.cached ?? 0) + (b.cached ?? 0),
  reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0),
  isEstimate: (a.isEstimate ?? false) || (b.isEstimate ?? false),
});
