import { aTime, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Observable } from 'rxjs';
import type { Clock } from '../../base/clock.ts';
import type { ResourceOptions } from './resource-options.ts';
import { clockOf, resourceShape } from './resource-options.ts';
import { Broadcast } from './broadcast.ts';

/**
 * Health by the latest calls: `active` (hardly any failed), `degraded` (a fifth or more), `unhealthy` (half or more), `offline` (a number
 * of consecutive failures).
 */
export type HealthStatus = 'active' | 'degraded' | 'unhealthy' | 'offline';

/** The health of a service in numbers. */
export interface HealthSnapshot {
  readonly name: string;
  readonly status: HealthStatus;
  /** Number of calls in the window. */
  readonly calls: number;
  readonly failures: number;
  /** Failures since the last success. */
  readonly failuresInRow: number;
  /** In ms since 1970; undefined if there was none. */
  readonly lastSuccessAt: number | undefined;
  readonly lastFailureAt: number | undefined;
  readonly at: number;
}

/** Options of {@link providerHealth}. */
export interface HealthOptions extends ResourceOptions {
  /** Number of latest calls that count. Default 20. */
  readonly window?: number | undefined;
  /** Consecutive failures that mean `offline`. Default 5. */
  readonly offlineAfter?: number | undefined;
  /** Interval at which observers are notified without a change, in ms. Default 30,000. */
  readonly heartbeatMs?: number | undefined;
}

/** The health of a service; see {@link providerHealth}. */
export interface ProviderHealth {
  readonly name: string;
  readonly status: HealthStatus;
  snapshot(): HealthSnapshot;
  /** Emits the current state on subscription, then each change of status, and a heartbeat. */
  readonly changes$: Observable<HealthSnapshot>;
  succeeded(): void;
  failed(): void;
  /** Completes the observers. */
  close(): void;
}

/**
 * Tracks the health of a provider, a tool or an agent over a sliding window of calls: constant cost per call, and a timer only while it is
 * observed.
 *
 * @example
 * const health = providerHealth({ name: 'openai' });
 * const model = shared(openai('gpt-5.5'), { health });
 * health.changes$.subscribe(({ status }) => console.log(status));
 *
 * @throws {TroupeError} `resource.invalid` for a number that bounds nothing.
 */
export const providerHealth = (options: HealthOptions = {}): ProviderHealth => new Health(options);

const check = optionsCheck<HealthOptions>({ code: 'resource.invalid', owner: 'a health' }, () => ({
  ...resourceShape(),
  window: optional(wholeNumber(1)),
  offlineAfter: optional(wholeNumber(1)),
  heartbeatMs: optional(aTime()),
}));

const DEFAULT_WINDOW = 20;
const DEFAULT_OFFLINE_AFTER = 5;
const DEFAULT_HEARTBEAT_MS = 30_000;
/** Shares of failures; a single failure among few calls does not count yet. */
const DEGRADED = 0.2;
const UNHEALTHY = 0.5;
const LEAST_FAILURES = 2;

class Health implements ProviderHealth {
  readonly name: string;
  readonly #clock: Clock;
  readonly #offlineAfter: number;
  readonly #heartbeatMs: number;
  /** A ring of the latest calls: true for a failed one. */
  readonly #ring: boolean[] = [];
  readonly #window: number;
  #next = 0;
  #failures = 0;
  #inRow = 0;
  #lastSuccessAt: number | undefined;
  #lastFailureAt: number | undefined;
  #timer: unknown;
  readonly #observers: Broadcast<HealthSnapshot>;

  constructor(options: HealthOptions) {
    const { name = 'health', window = DEFAULT_WINDOW, offlineAfter = DEFAULT_OFFLINE_AFTER } = check(options);
    this.name = name;
    this.#window = window;
    this.#offlineAfter = offlineAfter;
    this.#heartbeatMs = options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS;
    this.#clock = clockOf(options);
    this.#observers = new Broadcast({
      onFirst: () => {
        this.#beat();
      },
      onLast: () => {
        this.#clock.clearTimeout(this.#timer);
      },
      now: () => this.snapshot(),
    });
  }

  get changes$(): Observable<HealthSnapshot> {
    return this.#observers.values$;
  }

  get status(): HealthStatus {
    if (this.#inRow >= this.#offlineAfter) return 'offline';
    if (this.#failures < LEAST_FAILURES) return 'active';
    const share = this.#failures / this.#ring.length;
    if (share >= UNHEALTHY) return 'unhealthy';
    return share >= DEGRADED ? 'degraded' : 'active';
  }

  snapshot(): HealthSnapshot {
    return {
      name: this.name,
      status: this.status,
      calls: this.#ring.length,
      failures: this.#failures,
      failuresInRow: this.#inRow,
      lastSuccessAt: this.#lastSuccessAt,
      lastFailureAt: this.#lastFailureAt,
      at: this.#clock.now(),
    };
  }

  succeeded(): void {
    this.#count(false);
  }

  failed(): void {
    this.#count(true);
  }

  close(): void {
    this.#observers.complete();
  }

  #count(hasFailed: boolean): void {
    const before = this.status;
    if (this.#ring[this.#next] === true) this.#failures -= 1;
    this.#ring[this.#next] = hasFailed;
    this.#next = (this.#next + 1) % this.#window;
    if (hasFailed) {
      this.#failures += 1;
      this.#inRow += 1;
      this.#lastFailureAt = this.#clock.now();
    } else {
      this.#inRow = 0;
      this.#lastSuccessAt = this.#clock.now();
    }
    if (this.status !== before) this.#observers.emit(this.snapshot());
  }

  #beat(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#observers.emit(this.snapshot());
      this.#beat();
    }, this.#heartbeatMs);
  }
}
