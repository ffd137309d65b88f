import type { Observable } from 'rxjs';
import type { Clock } from '../../contracts/clock.ts';
import { checkCount } from '../define/check-count.ts';
import type { ResourceOptions } from './resource-options.ts';
import { checkMs, clockOf } from './resource-options.ts';
import { Told } from './told.ts';

/**
 * How somebody is, by what came of the last calls: `active` (next to nothing failed), `degraded` (a fifth or more), `unhealthy` (half or
 * more), `offline` (so many failures in a row that nothing can be expected).
 */
export type HealthStatus = 'active' | 'degraded' | 'unhealthy' | 'offline';

/** How somebody is, in figures. */
export interface HealthSnapshot {
  readonly name: string;
  readonly status: HealthStatus;
  /** Of the last calls, as many as the window holds. */
  readonly calls: number;
  readonly failures: number;
  /** Failures since the last success. */
  readonly failuresInRow: number;
  /** In ms since 1970; undefined if that never was. */
  readonly lastSuccessAt: number | undefined;
  readonly lastFailureAt: number | undefined;
  readonly at: number;
}

/** How health is judged. */
export interface HealthOptions extends ResourceOptions {
  /** The number of the last calls that are counted. Default 20. */
  readonly window?: number | undefined;
  /** Failures in a row that mean `offline`. Default 5. */
  readonly offlineAfter?: number | undefined;
  /** The interval at which watchers are notified though nothing has changed, in ms. Default 30,000. */
  readonly heartbeatMs?: number | undefined;
}

/** How somebody is; see {@link providerHealth}. */
export interface ProviderHealth {
  readonly name: string;
  readonly status: HealthStatus;
  snapshot(): HealthSnapshot;
  /** Each change of status, and a heartbeat; for whoever begins to watch, how it is now. */
  readonly changes$: Observable<HealthSnapshot>;
  succeeded(): void;
  failed(): void;
  /** Watchers are told no more. */
  close(): void;
}

/**
 * Says how a provider, a tool or an agent is, by a sliding count of its last calls: constant cost for each call, and a timer only while
 * somebody watches.
 *
 * @example
 * const health = providerHealth({ name: 'openai' });
 * const model = shared(openai('gpt-5.5'), { health });
 * health.changes$.subscribe(({ status }) => console.log(status));
 *
 * @throws {TroupeError} `resource.invalid` for a number that bounds nothing.
 */
export const providerHealth = (options: HealthOptions = {}): ProviderHealth => new Health(options);

const DEFAULT_WINDOW = 20;
const DEFAULT_OFFLINE_AFTER = 5;
const DEFAULT_HEARTBEAT_MS = 30_000;
/** Shares of failures; a single one among few says nothing yet. */
const DEGRADED = 0.2;
const UNHEALTHY = 0.5;
const LEAST_FAILURES = 2;

class Health implements ProviderHealth {
  readonly name: string;
  readonly #clock: Clock;
  readonly #offlineAfter: number;
  readonly #heartbeatMs: number;
  /** A ring of the last calls: true for one that failed. */
  readonly #ring: boolean[] = [];
  readonly #window: number;
  #next = 0;
  #failures = 0;
  #inRow = 0;
  #lastSuccessAt: number | undefined;
  #lastFailureAt: number | undefined;
  #timer: unknown;
  readonly #told: Told<HealthSnapshot>;

  constructor(options: HealthOptions) {
    const { name = 'health', window = DEFAULT_WINDOW, offlineAfter = DEFAULT_OFFLINE_AFTER } = options;
    this.name = name;
    const about = { code: 'resource.invalid', owner: `the health '${name}'` } as const;
    this.#window = checkCount(window, 1, 'window', about);
    this.#offlineAfter = checkCount(offlineAfter, 1, 'offlineAfter', about);
    this.#heartbeatMs = checkMs(options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS, 'heartbeatMs', about.owner);
    this.#clock = clockOf(options);
    this.#told = new Told({
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
    return this.#told.values$;
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
    this.#told.complete();
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
    if (this.status !== before) this.#told.tell(this.snapshot());
  }

  #beat(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#told.tell(this.snapshot());
      this.#beat();
    }, this.#heartbeatMs);
  }
}
