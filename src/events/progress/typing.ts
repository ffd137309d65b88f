import type { Observable } from 'rxjs';
import type { Clock } from '../../base/clock.ts';
import { systemClock } from '../../base/clock.ts';
import type { LiveEvent } from '../../contracts/events/event.ts';
import { isAtWork } from './agent-progress.ts';
import { SafeObservable } from '../stream/safe-observable.ts';

/** A typing indicator that appears or disappears. */
export interface Typing {
  readonly path: string;
  readonly agent: string;
  readonly isTyping: boolean;
  /** ms since 1970. */
  readonly at: number;
}

/** Options of {@link typing$}. */
export interface TypingOptions {
  /** Shortest time that it is shown, in ms, unless the run ends first. Default 5,000. */
  readonly minMs?: number | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

interface Shown {
  readonly agent: string;
  readonly since: number;
  /** The timer that hides it. */
  hiding: unknown;
}

/** In ms. */
const MIN_MS = 5_000;

/**
 * Typing indicators for a chat: on when an agent starts to work, for at least `minMs`, so that they do not flicker between steps. All are
 * off when the run ends.
 *
 * @example
 * typing$(handle.events$).subscribe(({ agent, isTyping }) => chat.setTyping(agent, isTyping));
 */
export const typing$ = (events$: Observable<LiveEvent>, options: TypingOptions = {}): Observable<Typing> =>
  new SafeObservable(ignoreFailure, (subscriber) => {
    const indicators = new TypingIndicators(options, (typing) => {
      subscriber.next(typing);
    });
    const following = events$.subscribe({
      next: (event) => {
        indicators.take(event);
      },
      error: (error: unknown) => {
        indicators.end();
        subscriber.error(error);
      },
      complete: () => {
        indicators.end();
        subscriber.complete();
      },
    });
    return () => {
      following.unsubscribe();
      indicators.forget();
    };
  });

/** Ignores failing subscribers, as a timer has no run to report them in. */
const ignoreFailure = (): void => undefined;

/** The indicators of one run. */
export class TypingIndicators {
  readonly #minMs: number;
  readonly #clock: Clock;
  readonly #tell: (typing: Typing) => void;
  readonly #working = new Set<string>();
  readonly #shown = new Map<string, Shown>();

  constructor({ minMs = MIN_MS, clock = systemClock }: TypingOptions, tell: (typing: Typing) => void) {
    this.#minMs = minMs;
    this.#clock = clock;
    this.#tell = tell;
  }

  take(event: LiveEvent): void {
    if (event.type === 'run.ended') this.end();
    if (event.type !== 'phase.entered') return;
    const { path, agent, phase } = event;
    const wasWorking = this.#working.has(path);
    const isWorking = isAtWork(phase, wasWorking);
    if (isWorking === wasWorking) return;
    if (isWorking) this.#start(path, agent);
    else this.#stop(path);
  }

  /** Turns all indicators off. */
  end(): void {
    const shown = [...this.#shown.keys()];
    this.#working.clear();
    for (const path of shown) this.#hide(path);
  }

  /** Resets without notifying. */
  forget(): void {
    for (const { hiding } of this.#shown.values()) this.#clock.clearTimeout(hiding);
    this.#shown.clear();
    this.#working.clear();
  }

  #start(path: string, agent: string): void {
    this.#working.add(path);
    const shown = this.#shown.get(path);
    if (shown !== undefined) {
      this.#clock.clearTimeout(shown.hiding);
      shown.hiding = undefined;
      return;
    }
    const at = this.#clock.now();
    this.#shown.set(path, { agent, since: at, hiding: undefined });
    this.#tell({ path, agent, isTyping: true, at });
  }

  #stop(path: string): void {
    this.#working.delete(path);
    const shown = this.#shown.get(path);
    if (shown === undefined) return;
    const left = shown.since + this.#minMs - this.#clock.now();
    if (left <= 0) {
      this.#hide(path);
      return;
    }
    shown.hiding = this.#clock.setTimeout(() => {
      this.#hide(path);
    }, left);
  }

  #hide(path: string): void {
    const shown = this.#shown.get(path);
    if (shown === undefined) return;
    this.#clock.clearTimeout(shown.hiding);
    this.#shown.delete(path);
    this.#tell({ path, agent: shown.agent, isTyping: false, at: this.#clock.now() });
  }
}
