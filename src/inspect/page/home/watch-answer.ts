import type { Signal } from '@preact/signals';

const PAUSE_MS = 2_000;
/** A long answer is asked for more seldom, as a multiple of the time that it took. */
const REST = 8;

/** An answer of the server that is kept up to date. */
export interface WatchedAnswer {
  /** Asks for it at once. */
  readonly renew: () => void;
  readonly stop: () => void;
}

/** Keeps an answer of the server up to date until it is stopped. */
export const watchAnswer = <Answer>(path: string, kept: Signal<Answer | undefined>): WatchedAnswer => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked = 0;
  const load = async (): Promise<void> => {
    clearTimeout(timer);
    const own = (asked += 1);
    const begun = performance.now();
    const found = await ask<Answer>(path);
    // Another question was asked meanwhile, or nobody wants to know any more.
    if (own !== asked) return;
    if (found !== undefined) kept.value = found;
    timer = setTimeout(() => void load(), Math.max(PAUSE_MS, REST * (performance.now() - begun)));
  };
  void load();
  return {
    renew: () => void load(),
    stop: () => {
      asked = -1;
      clearTimeout(timer);
    },
  };
};

const ask = async <Answer>(path: string): Promise<Answer | undefined> => {
  try {
    const response = await fetch(path);
    // Its own server wrote it.
    return response.ok ? ((await response.json()) as Answer) : undefined;
  } catch {
    return undefined;
  }
};
