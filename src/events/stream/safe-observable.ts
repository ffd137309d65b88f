import { Observable } from 'rxjs';
import type { Observer, Operator, Subscriber, Subscription, TeardownLogic } from 'rxjs';
import type { OnFailure } from '../hooks/failure-reporter.ts';
import { isThenable } from '../../base/promises/thenable.ts';

type Next<T> = (value: T) => void;

/** Name for failures of an anonymous subscriber. */
const ANONYMOUS = 'subscriber';

/**
 * An Observable whose subscribers cannot affect others.
 *
 * RxJS rethrows an exception of `next`, and an unhandled error, on a later tick, where it ends the process. Here both go to `onFailure`,
 * and so do rejections of an asynchronous `next`; that applies to everything piped from it too. As in RxJS, a `next` that threw is called
 * again, while an operator that threw ends its subscription. Not covered: other Observables made from it (`merge`, `defer` …), and promises
 * that an operator drops.
 *
 * @example
 * const numbers$ = new SafeObservable<number>(console.error, (subscriber) => subscriber.next(1));
 * numbers$.pipe(map(() => { throw new Error('no'); })).subscribe(); // logs: subscriber Error: no
 */
export class SafeObservable<T> extends Observable<T> {
  readonly #onFailure: OnFailure;

  constructor(onFailure: OnFailure, subscribe?: (subscriber: Subscriber<T>) => TeardownLogic) {
    super(subscribe);
    this.#onFailure = onFailure;
  }

  /** Keeps piped observables safe: RxJS operators create their results by it. */
  override lift<R>(operator?: Operator<T, R>): SafeObservable<R> {
    const lifted = new SafeObservable<R>(this.#onFailure);
    lifted.source = this;
    lifted.operator = operator;
    return lifted;
  }

  /** Failures are reported under the name of the observing function, else as `subscriber`. */
  override subscribe(
    observerOrNext?: Partial<Observer<T>> | Next<T> | null,
    error?: ((error: unknown) => void) | null,
    complete?: (() => void) | null,
  ): Subscription {
    if (isSubscriber(observerOrNext)) return super.subscribe(observerOrNext);
    const observer =
      typeof observerOrNext === 'function' || observerOrNext == null
        ? present({ next: observerOrNext, error, complete })
        : observerOrNext;
    return super.subscribe(guardObserver(observer, nameOf(observer), this.#onFailure));
  }
}

/** Checks for an inner link of an operator chain, whose end is guarded; it may come from another copy of RxJS. */
const isSubscriber = <T>(value: Partial<Observer<T>> | Next<T> | null | undefined): value is Subscriber<T> =>
  typeof value === 'object' && value !== null && 'add' in value && 'unsubscribe' in value;

const present = <T>(handlers: {
  next: Next<T> | null | undefined;
  error: ((error: unknown) => void) | null | undefined;
  complete: (() => void) | null | undefined;
}): Partial<Observer<T>> => ({
  ...(handlers.next ? { next: handlers.next } : {}),
  ...(handlers.error ? { error: handlers.error } : {}),
  ...(handlers.complete ? { complete: handlers.complete } : {}),
});

const nameOf = <T>({ next }: Partial<Observer<T>>): string =>
  next === undefined || next.name === '' || next.name === 'next' ? ANONYMOUS : next.name;

const guardObserver = <T>(
  observer: Partial<Observer<T>>,
  name: string,
  onFailure: OnFailure,
): Observer<T> => {
  const report = (error: unknown) => {
    onFailure(name, error);
  };
  return {
    next: (value) => {
      try {
        // An `async` function is assignable to `void`: its rejection would end the process too.
        const returned: unknown = observer.next?.(value);
        if (isThenable(returned)) returned.then(undefined, report);
      } catch (error) {
        report(error);
      }
    },
    error: (failure: unknown) => {
      if (observer.error == null) return report(failure);
      try {
        observer.error(failure);
      } catch (error) {
        report(error);
      }
    },
    complete: () => {
      try {
        observer.complete?.();
      } catch (error) {
        report(error);
      }
    },
  };
};
