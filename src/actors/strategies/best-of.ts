import { aFunction, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { wrapCall } from '../../models/wrap-call.ts';
import { withKey } from './fallback.ts';

/** Options of {@link bestOf}. */
export interface BestOfOptions {
  /** Number of concurrent requests. */
  readonly width: number;
  /** Scores an answer; the highest score is taken, the first of equals. */
  readonly score: (answer: ModelAnswer, request: ModelRequest) => number | Promise<number>;
}

const check = optionsCheck<BestOfOptions>({ code: 'agent.invalid', owner: 'the strategy bestOf' }, () => ({
  width: wholeNumber(1),
  score: aFunction(),
}));

/**
 * Asks the model several times concurrently and continues with the best answer; all of them are paid for.
 *
 * Failed answers are ignored; if all fail, the call fails with the first error.
 *
 * @throws {TroupeError} `agent.invalid` for options that do not fit.
 */
export const bestOf = (options: BestOfOptions): Strategy => {
  const { width, score } = check(options);
  return {
    name: `best-of: ${width}`,
    model: (model) =>
      wrapModel(model, (request, call) => drawSamples(model, request, call, { width, score })),
  };
};

const drawSamples = async (
  model: Model,
  request: ModelRequest,
  call: ModelCall,
  { width, score }: BestOfOptions,
): Promise<ModelAnswer> => {
  const settled = await Promise.allSettled(
    Array.from({ length: width }, async (_, index) => {
      const answer = await model.answer(
        request,
        muteText(index === 0 ? call : withKey(call, `${call.key}/${index}`)),
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

/** Replaces streamed text by progress, as texts of concurrent answers cannot be mixed. */
const muteText = (call: ModelCall): ModelCall =>
  wrapCall(call, {
    delta: () => {
      call.delta({ type: 'progress' });
    },
  });

const sum = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cached: (a.cached ?? 0) + (b.cached ?? 0),
  stored: (a.stored ?? 0) + (b.stored ?? 0),
  reasoning: (a.reasoning ?? 0) + (b.reasoning ?? 0),
  isEstimate: (a.isEstimate ?? false) || (b.isEstimate ?? false),
});
