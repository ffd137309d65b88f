import type { ErrorData } from '../../contracts/error.ts';
import { errorData, isTroupeError } from '../../contracts/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/model.ts';
import { isThenable } from '../../contracts/thenable.ts';
import { TurnCounter } from '../../memory/count-tokens.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { onSignal } from '../shared-signal.ts';
import type { Entered, SharedBy } from './entrance.ts';
import { enter } from './entrance.ts';
import { aborted } from './waiting-line.ts';

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
  wrapModel(model, (request, call) => {
    const entered = enter(by, {
      get signal() {
        return call.signal;
      },
      tokens: () => tokensOf(request),
      inLine: call.inLine ?? ((turn) => turn),
    });
    return isThenable(entered)
      ? entered.then((held) => {
          // Called off in the very moment in which it was its turn.
          if (!call.signal.aborted) return asked(model, request, call, held);
          held.calledOff();
          throw aborted(call.signal, `${model.provider}:${model.id}`);
        })
      : asked(model, request, call, entered);
  });

const asked = (
  model: Model,
  request: ModelRequest,
  call: ModelCall,
  entered: Entered,
): ModelAnswer | Promise<ModelAnswer> => {
  let answer: ModelAnswer | Promise<ModelAnswer>;
  try {
    answer = model.answer(request, call);
  } catch (thrown) {
    entered.failed(errorData(thrown, 'model.failed'));
    throw thrown;
  }
  if (isThenable(answer)) return awaited(answer, call, entered);
  entered.succeeded(tokensIn(answer));
  return answer;
};

const awaited = (
  answer: PromiseLike<ModelAnswer>,
  { signal }: ModelCall,
  entered: Entered,
): Promise<ModelAnswer> => {
  let isOver = false;
  const once = (tell: () => void): void => {
    if (isOver) return;
    isOver = true;
    forget();
    tell();
  };
  // A model need not listen to its signal: its place is given to the next all the same.
  const callOff = (): void => {
    once(() => {
      const late = tooLate(signal.reason);
      if (late === undefined) entered.calledOff();
      else entered.failed(late);
    });
  };
  const forget = onSignal(signal, callOff);
  if (signal.aborted) callOff();
  return Promise.resolve(answer).then(
    (settled) => {
      once(() => {
        entered.succeeded(tokensIn(settled));
      });
      return settled;
    },
    (thrown: unknown) => {
      once(() => {
        entered.failed(errorData(thrown, 'model.failed'));
      });
      throw thrown;
    },
  );
};

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
