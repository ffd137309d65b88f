import { onSignal } from '../../runtime/run/shared-signal.ts';

/** The end of a request. */
export interface Ending {
  readonly signal: AbortSignal;
  readonly abort: () => void;
  /** Listens no more. */
  readonly release: () => void;
}

/** Ends with the first of the signals, or when it is aborted itself. */
export const endWith = (signals: readonly AbortSignal[]): Ending => {
  const controller = new AbortController();
  const end = (): void => {
    controller.abort();
  };
  const forgetting = signals.map((signal) => onSignal(signal, end));
  if (signals.some(({ aborted }) => aborted)) end();
  const release = (): void => {
    for (const forget of forgetting) forget();
  };
  return {
    signal: controller.signal,
    release,
    abort: () => {
      release();
      end();
    },
  };
};
