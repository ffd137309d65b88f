import { canonical } from '../../base/json/canonical.ts';
import { toJson } from '../../base/json/json.ts';
import { platformSha256 } from '../../base/platform-sha256.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { aBound, aFunction, aText, aTime, optional, wholeNumber } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { nobodyWaits } from '../../contracts/errors/nobody-waits.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Usage } from '../../contracts/models/usage.ts';
import type { EngineResource } from '../../contracts/runs/engine.ts';
import type { ModelUse } from '../../contracts/runs/run-options.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import type { KeptAnswer } from './kept-answers.ts';
import { KeptAnswers } from './kept-answers.ts';
import type { Flight } from './shared-flight.ts';
import { sharedFlight } from './shared-flight.ts';

/** Options of {@link answerCache}. */
export interface AnswerCacheOptions {
  /** Shown in messages. Default: `answer cache`. */
  readonly name?: string | undefined;
  /** Maximum number of answers; the one that was asked for least recently goes first. Default 100. */
  readonly entries?: number | undefined;
  /** Age in ms from which an answer is not given again, by the clock of the run that asks; `Infinity` for no limit. Default 300,000. */
  readonly ttlMs?: number | undefined;
  /** Maximum size of all answers together, in bytes. Default 16,777,216. */
  readonly bytes?: number | undefined;
  /**
   * Names the runs and agents that may share answers: a tenant of the run's `context`. Undefined: this one is always asked. Default: all
   * runs of a tenant, as `by` of their engine names it, and all runs of no tenant.
   */
  readonly scope?: ((use: ModelUse) => string | undefined) | undefined;
}

/** Figures of an {@link AnswerCache}. */
export interface AnswerCacheFigures {
  readonly entries: number;
  readonly bytes: number;
  /** Calls that were answered without asking. */
  readonly hits: number;
  /** Calls for which the model was asked. */
  readonly misses: number;
  /** Tokens and time, in ms, that the hits did not take. */
  readonly saved: Pick<Usage, 'input' | 'output'> & { readonly durationMs: number };
}

/** Answers equal model calls from memory; see {@link answerCache}. */
export interface AnswerCache extends EngineResource {
  around(model: Model, use?: ModelUse): Model;
  readonly figures: AnswerCacheFigures;
  /** Forgets all answers; calls in progress are not affected. */
  clear(): void;
  close(): void;
}

/**
 * Creates a cache of model answers, for the `resources` of an engine or of runs: a call that equals an earlier one (agent, model,
 * instructions, messages, tools, settings) gets that one's answer, and the model is not asked.
 *
 * `model.answered` has `cached` then, with the tokens, cost and time of the earlier call; its own usage and cost are 0. Concurrent equal
 * calls are one call. Only whole answers are kept: none that failed, was refused, cut off, empty, or has media. Tenants
 * that `by` of an engine names share no answers; elsewhere name them by `scope`. Agents that are to answer the same request differently
 * (votes, drafts) belong in no scope. Put it before limits: what it answers waits for none.
 *
 * @example
 * const cache = answerCache({ ttlMs: 60_000, scope: ({ agent }) => (agent === 'voter' ? undefined : 'all') });
 * const engine = createGlobalEngine({ resources: [cache] });
 *
 * @throws {TroupeError} `resource.invalid` for options that bound nothing; calls fail with it if `scope` returns no text.
 */
export const answerCache = (options: AnswerCacheOptions = {}): AnswerCache => new Cache(check(options));

const check = optionsCheck<AnswerCacheOptions>(
  { code: 'resource.invalid', owner: 'an answer cache' },
  () => ({
    name: optional(aText(1)),
    entries: optional(wholeNumber(1)),
    ttlMs: optional(aTime()),
    bytes: optional(aBound(1)),
    scope: optional(aFunction()),
  }),
);

/** Default bounds, by which suggestions count what a cache would have answered, too. */
export const cacheDefaults = { entries: 100, ttlMs: 300_000, bytes: 16_777_216 } as const;

class Cache implements AnswerCache {
  readonly name: string;
  readonly #scope: AnswerCacheOptions['scope'];
  readonly #kept: KeptAnswers;
  readonly #flights = new Map<string, Flight>();
  #hits = 0;
  #misses = 0;
  #saved = { input: 0, output: 0, durationMs: 0 };

  constructor({ name = 'answer cache', scope, ...bounds }: AnswerCacheOptions) {
    this.name = name;
    this.#scope = scope;
    const { entries, ttlMs, bytes } = cacheDefaults;
    this.#kept = new KeptAnswers({
      entries: bounds.entries ?? entries,
      ttlMs: bounds.ttlMs ?? ttlMs,
      bytes: bounds.bytes ?? bytes,
    });
  }

  get figures(): AnswerCacheFigures {
    const { size: entries, bytes } = this.#kept;
    return { entries, bytes, hits: this.#hits, misses: this.#misses, saved: { ...this.#saved } };
  }

  around(model: Model, use?: ModelUse): Model {
    if (use === undefined) return model;
    return wrapModel(model, (request, call) => {
      const scope = this.#scopeOf(use);
      if (scope === undefined) return model.answer(request, call);
      return this.#answer({ model, request, call, use, key: keyOf(scope, model, request, use) });
    });
  }

  clear(): void {
    this.#kept.clear();
  }

  close(): void {
    this.clear();
  }

  #answer(asked: Asked): ModelAnswer | Promise<ModelAnswer> {
    const { key, call, use } = asked;
    const kept = this.#kept.find(key, use.now());
    if (kept !== undefined) return this.#serve(kept, call);
    const flight = this.#flights.get(key);
    // A model that this cache wraps twice must not wait for itself.
    if (flight !== undefined && flight.owner !== call.key) return this.#follow(flight, asked);
    return flight === undefined ? this.#lead(asked) : asked.model.answer(asked.request, call);
  }

  #lead(asked: Asked): ModelAnswer | Promise<ModelAnswer> {
    const { model, request, call, use, key } = asked;
    const startedAt = use.now();
    this.#misses += 1;
    const answer = model.answer(request, call);
    if (!isThenable(answer)) {
      this.#keep(asked, answer, startedAt);
      return answer;
    }
    const whole = answer.then((settled) => {
      this.#keep(asked, settled, startedAt);
      return settled;
    });
    const flight = sharedFlight(call, whole, () => {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    });
    this.#flights.set(key, flight);
    return whole;
  }

  async #follow(flight: Flight, asked: Asked): Promise<ModelAnswer> {
    const { model, request, call, key, use } = asked;
    const landed = await (call.inLine?.(flight.landed) ?? flight.landed);
    if (landed.kind === 'failed') throw landed.thrown;
    if (call.signal.aborted) throw nobodyWaits('ask a model');
    if (landed.kind === 'cancelled') return this.#answer(asked);
    const kept = this.#kept.find(key, use.now());
    if (kept !== undefined) return this.#serve(kept, call);
    // The answer was none to keep: each asks for its own.
    this.#misses += 1;
    return model.answer(request, call);
  }

  #keep({ key, use }: Asked, answer: ModelAnswer, startedAt: number): void {
    const at = use.now();
    if (isWhole(answer)) this.#kept.keep(key, { answer, durationMs: at - startedAt }, at);
  }

  #serve({ answer, durationMs }: KeptAnswer, call: ModelCall): ModelAnswer {
    const { usage } = answer;
    this.#hits += 1;
    this.#saved = {
      input: this.#saved.input + usage.input,
      output: this.#saved.output + usage.output,
      durationMs: this.#saved.durationMs + durationMs,
    };
    if (call.isWatched && answer.text !== '') call.delta({ type: 'text', text: answer.text });
    return { ...answer, usage: { input: 0, output: 0 }, cached: { usage, durationMs } };
  }

  #scopeOf(use: ModelUse): string | undefined {
    if (this.#scope === undefined) return use.tenant === undefined ? '' : `=${use.tenant}`;
    const scope: unknown = this.#scope(use);
    if (scope === undefined || typeof scope === 'string') return scope;
    throw new TroupeError(
      'resource.invalid',
      `Cannot look into '${this.name}' as its scope is no text: found ${foundText(scope)}, return a tenant, or undefined to ask in any case`,
    );
  }
}

/** A call of a model through a cache. */
interface Asked {
  readonly model: Model;
  readonly request: ModelRequest;
  readonly call: ModelCall;
  readonly use: ModelUse;
  readonly key: string;
}

/** A digest: settings may contain secrets. */
const keyOf = (scope: string, { provider, id }: Model, request: ModelRequest, { agent }: ModelUse): string =>
  platformSha256(
    canonical(toJson({ ...request, messages: request.messages.toArray(), scope, agent, provider, id })),
  );

/** A model may be foreign code: its answer is looked at before it is kept. */
const isWhole = (answer: Partial<ModelAnswer> | undefined): boolean => {
  const { text, calls, finish, usage, problem, refusal, media, cached } = answer ?? {};
  if (typeof text !== 'string' || !Array.isArray(calls) || !isCounted(usage)) return false;
  if (finish !== 'stop' && finish !== 'tool-calls') return false;
  if (problem !== undefined || refusal !== undefined || cached !== undefined) return false;
  return (media ?? []).length === 0 && (text.trim() !== '' || calls.length > 0);
};

const isCounted = (usage: Partial<Usage> | undefined): boolean =>
  Number.isInteger(usage?.input) && Number.isInteger(usage?.output);
