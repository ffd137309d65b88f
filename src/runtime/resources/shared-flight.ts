import type { ModelAnswer, ModelCall } from '../../contracts/models/model.ts';
import { onSignal } from '../run/shared-signal.ts';

/** The end of a call for those that wait for it. */
export type Landed =
  | { readonly kind: 'answered' }
  | { readonly kind: 'failed'; readonly thrown: unknown }
  /** Its caller waits no longer, which is no failure of the model. */
  | { readonly kind: 'cancelled' };

/** A call in progress that others wait for. */
export interface Flight {
  /** The key of the call. */
  readonly owner: string;
  /** Never rejects. */
  readonly landed: Promise<Landed>;
}

/** Follows a call until it has an answer or fails, or until its caller cancels it; `over` is called first. */
export const sharedFlight = (call: ModelCall, answer: Promise<ModelAnswer>, over: () => void): Flight => {
  const landed = new Promise<Landed>((resolve) => {
    const land = (end: Landed): void => {
      leave();
      over();
      resolve(end);
    };
    const leave = onSignal(call.signal, () => {
      land({ kind: 'cancelled' });
    });
    answer.then(
      () => {
        land({ kind: 'answered' });
      },
      (thrown: unknown) => {
        land(call.signal.aborted ? { kind: 'cancelled' } : { kind: 'failed', thrown });
      },
    );
  });
  return { owner: call.key, landed };
};
