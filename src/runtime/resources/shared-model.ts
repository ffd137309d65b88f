import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, isTroupeError } from '../../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../contracts/models/model.ts';
import { TurnCounter } from '../../memory/tokens/count-tokens.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import type { SharedBy } from './entrance.ts';
import { sharedCall } from './shared-call.ts';

/**
 * Wraps a model so that its calls share a rate limit, a pool and a breaker with others, across runs.
 *
 * Answers, streams and aborts are those of the model. It delays and rejects, and never retries: that is left to the agent's `retry`. To its
 * run, a waiting call is in progress; its timeouts start when it is admitted.
 *
 * @example
 * const rate = rateLimit({ perMinute: 500 });
 * const breaker = circuitBreaker();
 * const large = shared(openai('gpt-5.5'), { rate, breaker });
 * const small = shared(openai('gpt-5.5-mini'), { rate, breaker }); // the same key: the same limit
 */
export const shared = (model: Model, by: SharedBy): Model =>
  wrapModel(model, (request, call) =>
    sharedCall(
      by,
      {
        get signal() {
          return call.signal;
        },
        tokens: () => tokensOf(request),
        context: call.context,
        inLine: call.inLine ?? ((turn) => turn),
      },
      {
        called: `${model.provider}:${model.id}`,
        make: () => model.answer(request, call),
        used: tokensIn,
        failure: (thrown) => errorData(thrown, 'model.failed'),
        lateness: tooLate,
      },
    ),
  );

/** The failure of an attempt that timed out, which is the provider's fault though it is an abort, too. */
const tooLate = (reason: unknown): ErrorData | undefined =>
  isTroupeError(reason, 'model.timeout') || isTroupeError(reason, 'model.idle') ? reason.data : undefined;

/** The usage of an answer; undefined if it is missing. Callers validate the answer of a foreign model. */
const tokensIn = (answer: Partial<ModelAnswer> | undefined): number | undefined => {
  const used = (answer?.usage?.input ?? 0) + (answer?.usage?.output ?? 0);
  return used > 0 ? used : undefined;
};

/** Assumed output where the settings do not limit it: most answers are shorter. */
const OUTPUT_TOKENS = 1_024;

const counter = new TurnCounter();

/** Tokens that a call may use. Each turn is counted once, however often it is sent. */
const tokensOf = ({ instructions, messages, tools, settings }: ModelRequest): number => {
  let sum = counter.overhead(instructions, tools) + (settings?.maxOutputTokens ?? OUTPUT_TOKENS);
  for (const turn of messages) sum += counter.count(turn);
  return sum;
};
