import type { ErrorData } from '../../contracts/error.ts';
import { isThenable } from '../../contracts/thenable.ts';
import { onSignal } from '../run/shared-signal.ts';
import type { CallWish, Entered, SharedBy } from './entrance.ts';
import { enter } from './entrance.ts';
import { aborted } from './waiting-line.ts';

/** A call to somebody who is shared, and how it is read what came of it. */
export interface SharedCall<Result> {
  /** Who is called, as people call them. */
  readonly called: string;
  readonly make: (entered: Entered) => Result | PromiseLike<Result>;
  /** Tokens that the result has used; undefined where that is not known, or nothing to count. */
  readonly used: (result: Result) => number | undefined;
  readonly failure: (thrown: unknown) => ErrorData;
  /** The failure that an abort is for whoever was called; undefined: it was called off, and is nobody's fault. */
  readonly lateness: (reason: unknown) => ErrorData | undefined;
}

/** Makes a call once it is let in, and says, once, what came of it. At once, where nobody has to wait. */
export const sharedCall = <Result>(
  by: SharedBy,
  wish: CallWish,
  call: SharedCall<Result>,
): Result | Promise<Result> => {
  const entered = enter(by, wish);
  if (!isThenable(entered)) return made(call, wish, entered);
  return entered.then((held) => {
    // Called off in the very moment in which it was its turn.
    if (!wish.signal.aborted) return made(call, wish, held);
    held.calledOff();
    throw aborted(wish.signal, call.called);
  });
};

const made = <Result>(
  call: SharedCall<Result>,
  wish: CallWish,
  entered: Entered,
): Result | Promise<Result> => {
  let result: Result | PromiseLike<Result>;
  try {
    result = call.make(entered);
  } catch (thrown) {
    entered.failed(call.failure(thrown));
    throw thrown;
  }
  if (isThenable(result)) return awaited(result, call, wish.signal, entered);
  entered.succeeded(call.used(result));
  return result;
};

const awaited = <Result>(
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
  // Whoever was called need not listen to the signal: the place is given to the next all the same.
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
