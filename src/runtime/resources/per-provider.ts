import type { Clock } from '../../base/clock.ts';
import type { EngineResource } from '../../contracts/runs/engine.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { KeyBy } from './caller-key.ts';
import type { BreakerOptions, CircuitBreaker } from './circuit-breaker.ts';
import { circuitBreaker } from './circuit-breaker.ts';
import type { ConcurrencyPool } from './concurrency-pool.ts';
import { concurrencyPool } from './concurrency-pool.ts';
import type { HealthOptions, HealthSnapshot, ProviderHealth } from './provider-health.ts';
import { providerHealth } from './provider-health.ts';
import type { RateLimit, RateLimitOptions } from './rate-limit.ts';
import { rateLimit } from './rate-limit.ts';
import { shared } from './shared-model.ts';

/** Limits shared by the models of one provider. Omitted ones do not limit; breaker and health are always present. */
export interface ProviderLimits {
  readonly rate?: Omit<RateLimitOptions, 'name' | 'clock' | 'by'> | undefined;
  /** Number of concurrent calls. */
  readonly concurrency?: number | undefined;
  /** Default: 5 consecutive failures, 30 s. False for none. */
  readonly breaker?: Omit<BreakerOptions, 'name' | 'clock'> | false | undefined;
  readonly health?: Omit<HealthOptions, 'name' | 'clock'> | undefined;
}

/** Options of {@link perProvider}. */
export interface PerProviderOptions {
  /** By the model's key; `*` applies to each other key separately. */
  readonly limits: Readonly<Record<string, ProviderLimits>>;
  /** Groups models. Default: by `provider`. */
  readonly keyOf?: ((model: Model) => string) | undefined;
  /** Names the tenant of a call by the `context` of its run: waiting calls of tenants take turns, and each has the rate's `quota`. */
  readonly by?: KeyBy | undefined;
  /** Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/** The shared resources of one provider key. */
export interface ProviderResources {
  readonly key: string;
  readonly rate?: RateLimit | undefined;
  readonly pool?: ConcurrencyPool | undefined;
  readonly breaker?: CircuitBreaker | undefined;
  readonly health: ProviderHealth;
}

/** Wraps all models of an engine or a run; see {@link perProvider}. */
export interface PerProvider extends EngineResource {
  around(model: Model): Model;
  /** The resources of a key, created on first access; undefined if the key has no limits. */
  of(key: string): ProviderResources | undefined;
  /** Health of each provider that was called. */
  readonly health: readonly HealthSnapshot[];
  /** Rejects waiting calls. */
  close(): void;
}

/**
 * Creates one limit, pool, breaker and health per provider key, shared by all models of an engine (or a run) without wrapping each model.
 *
 * @example
 * const providers = perProvider({ limits: { openai: { rate: { perMinute: 500 } }, '*': { concurrency: 20 } } });
 * const engine = createGlobalEngine({ resources: [providers] }); // used by all its runs, closed at its shutdown
 *
 * @throws {TroupeError} `resource.invalid` for limits that are none.
 */
export const perProvider = (options: PerProviderOptions): PerProvider => new Providers(options);

const ANY = '*';

class Providers implements PerProvider {
  readonly name = 'providers';
  readonly #options: PerProviderOptions;
  readonly #known = new Map<string, ProviderResources>();
  readonly #wrapped = new WeakMap<Model, Model>();

  constructor(options: PerProviderOptions) {
    this.#options = options;
    // Validates the limits now instead of at the first call.
    for (const [key, limits] of Object.entries(options.limits)) this.#make(key, limits);
  }

  get health(): readonly HealthSnapshot[] {
    return [...this.#known.values()].map(({ health }) => health.snapshot());
  }

  around(model: Model): Model {
    const known = this.#wrapped.get(model);
    if (known !== undefined) return known;
    const by = this.of(this.#keyOf(model));
    const wrapped = by === undefined ? model : shared(model, by);
    this.#wrapped.set(model, wrapped);
    // A wrapped model is not wrapped again, for example when an engine and a run share this.
    this.#wrapped.set(wrapped, wrapped);
    return wrapped;
  }

  of(key: string): ProviderResources | undefined {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { limits } = this.#options;
    const found = Object.hasOwn(limits, key) ? limits[key] : limits[ANY];
    if (found === undefined) return undefined;
    const made = this.#make(key, found);
    this.#known.set(key, made);
    return made;
  }

  close(): void {
    for (const { rate, pool, health } of this.#known.values()) {
      rate?.close();
      pool?.close();
      health.close();
    }
  }

  #keyOf(model: Model): string {
    const { keyOf } = this.#options;
    const key: unknown = keyOf === undefined ? model.provider : keyOf(model);
    if (typeof key === 'string') return key;
    throw new TroupeError(
      'resource.invalid',
      `Cannot share a model as keyOf gives no string for '${model.provider}:${model.id}': ${String(key)}`,
    );
  }

  #make(key: string, { rate, concurrency, breaker, health }: ProviderLimits): ProviderResources {
    const { by, clock } = this.#options;
    const named = { name: key, clock };
    const turns = by === undefined ? named : { ...named, by };
    return {
      key,
      ...(rate === undefined ? {} : { rate: rateLimit({ ...rate, ...turns }) }),
      ...(concurrency === undefined ? {} : { pool: concurrencyPool(concurrency, turns) }),
      ...(breaker === false ? {} : { breaker: circuitBreaker({ ...breaker, ...named }) }),
      health: providerHealth({ ...health, ...named }),
    };
  }
}
