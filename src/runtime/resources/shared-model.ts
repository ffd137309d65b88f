import type { ErrorData } from '../../contracts/error.ts';
import { errorData, isTroupeError } from '../../contracts/error.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../contracts/model.ts';
import { TurnCounter } from '../../memory/count-tokens.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import type { SharedBy } from './entrance.ts';
import { sharedCall } from './shared-call.ts';

/**
 * A model whose calls share a rate limit, a pool, a breaker with those of others, in this run and in all others.
 *
 * Answers, streams and aborts are those of the model. It delays and refuses, and never retries: that is left to the agent's `retry`.
 * A call that waits in line is under way as far as its run knows, and its time-outs begin when it is its turn.
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

/** An attempt that is out of time is aborted, too; but that is the provider's fault. */
const tooLate = (reason: unknown): ErrorData | undefined =>
  isTroupeError(reason, 'model.timeout') || isTroupeError(reason, 'model.idle') ? reason.data : undefined;

/** A model may be anybody's code: what it says of its usage is looked at by whoever gets the answer. */
const tokensIn = (answer: Partial<ModelAnswer> | undefined): number | undefined => {
  const used = (answer?.usage?.input ?? 0) + (answer?.usage?.output ?? 0);
  return used > 0 ? used : undefined;
};

/** What most answers stay below, where the settings do not say. */
const OUTPUT_TOKENS = 1_024;

const counter = new TurnCounter();

/** What a call may use. The conversation is counted once, however often it is sent. */
const tokensOf = ({ instructions, messages, tools, settings }: ModelRequest): number => {
  let sum = counter.overhead(instructions, tools) + (settings?.maxOutputTokens ?? OUTPUT_TOKENS);
  for (const turn of messages) sum += counter.count(turn);
  return sum;
};
