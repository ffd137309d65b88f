import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { onSignal } from '../run/shared-signal.ts';
import type { SharedCallNeeds, Entered, SharedBy } from './entrance.ts';
import { enter } from './entrance.ts';
import { abortError } from './waiting-line.ts';

/** A call that uses shared resources, and functions to interpret its result. */
export interface SharedCall<Result> {
  /** Name of the called side, for messages. */
  readonly called: string;
  readonly make: (entered: Entered) => Result | PromiseLike<Result>;
  /** Tokens that the result used; undefined if unknown or not counted. */
  readonly used: (result: Result) => number | undefined;
  readonly failure: (thrown: unknown) => ErrorData;
  /** The failure that an abort means for the called side; undefined if the call was cancelled, which is nobody's fault. */
  readonly lateness: (reason: unknown) => ErrorData | undefined;
}

/** Makes a call once it is admitted, and reports its result once. Synchronous if there is nothing to wait for. */
export const sharedCall = <Result>(
  by: SharedBy,
  wish: SharedCallNeeds,
  call: SharedCall<Result>,
): Result | Promise<Result> => {
  const entered = enter(by, wish);
  if (!isThenable(entered)) return makeCall(call, wish, entered);
  return entered.then((held) => {
    // Cancelled at the moment of admission.
    if (!wish.signal.aborted) return makeCall(call, wish, held);
    held.calledOff();
    throw abortError(wish.signal, call.called);
  });
};

const makeCall = <Result>(
  call: SharedCall<Result>,
  wish: SharedCallNeeds,
  entered: Entered,
): Result | Promise<Result> => {
  let result: Result | PromiseLike<Result>;
  try {
    result = call.make(entered);
  } catch (thrown) {
    entered.failed(call.failure(thrown));
    throw thrown;
  }
  if (isThenable(result)) return awaitResult(result, call, wish.signal, entered);
  entered.succeeded(call.used(result));
  return result;
};

const awaitResult = <Result>(
  result: PromiseLike<Result>,
  call: SharedCall<Result>,
  signal: AbortSignal,
  entered: Entered,
): Promise<Result> => {
  let isOver = false;
  const once = (tell: () => void): void => {
    if (isOver) return;
    isOver = true;
    forget();
    tell();
  };
  // The called side may ignore the signal: the slot is released all the same.
  const callOff = (): void => {
    once(() => {
      const late = call.lateness(signal.reason);
      if (late === undefined) entered.calledOff();
      else entered.failed(late);
    });
  };
  const forget = onSignal(signal, callOff);
  if (signal.aborted) callOff();
  return Promise.resolve(result).then(
    (settled) => {
      once(() => {
        entered.succeeded(call.used(settled));
      });
      return settled;
    },
    (thrown: unknown) => {
      once(() => {
        entered.failed(call.failure(thrown));
      });
      throw thrown;
    },
  );
};
