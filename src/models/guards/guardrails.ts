import type { Clock } from '../../base/clock.ts';
import { patientClock, systemClock } from '../../base/clock.ts';
import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { EngineResource } from '../../contracts/runs/engine.ts';
import type { ModelUse } from '../../contracts/runs/run-options.ts';
import type { ExecutableCall } from '../../contracts/tools/executor.ts';
import { resolveModel } from '../model-registry.ts';
import { guardText } from './apply-guards.ts';
import type { BuiltInGuard } from './built-in/built-in-guards.ts';
import { injectionGuard, piiGuard, secretsGuard, topicGuard } from './built-in/built-in-guards.ts';
import { judgeGuard } from './built-in/judge-guard.ts';
import type { TrustedGuard } from './consult-guard.ts';
import type { Guard } from './guard.ts';
import type { GuardrailOptions } from './guard-schema.ts';
import { guardrailsSchema } from './guard-schema.ts';
import { guardedCall } from './guarded-call.ts';
import { guardedModel } from './guarded-model.ts';

/** Guards of all models and tools of an engine's runs, or of a run; see {@link guardrails}. */
export interface Guardrails extends EngineResource {
  around(model: Model, use?: ModelUse): Model;
  execute(call: ExecutableCall): unknown;
  /**
   * The input as the guards of inputs let it pass, for a run that must not have the original on record.
   *
   * @throws (rejects with) `guardrail.blocked` if one of them blocks it, or asks.
   */
  input(text: string): Promise<string>;
}

/**
 * Puts guards at the four borders of models: what they are sent, what they answer, what goes into tools and what comes back. Give them to
 * the `resources` of a run or an engine.
 *
 * A guard lets a text pass, or says what to do: `block` (the call fails with `guardrail.blocked`; of a tool, with a failed result that the
 * model reads), `redact` and `replace` (another text takes its place), `ask` (a person lets it pass or not). What it did is on record as
 * `custom.emitted`, `guardrail.acted`, never with the text. Answers are held until they have passed. An answer is judged before it is on
 * record, so a replay asks no guard. Built-in guards are given by name, `'pii'`, `'secrets'`, `'injection'`, or written out with `use`,
 * as are `topic` and `judge`. They judge in the order of the list.
 *
 * @example
 * const rails = guardrails([
 *   'pii',
 *   { use: 'topic', words: ['horoscope*'] },
 *   { use: 'judge', model: 'anthropic', criterion: 'Gives no medical advice.' },
 * ]);
 * await desk.run('Hello', { resources: [rails] });
 *
 * @throws {TroupeError} `resource.invalid` for guards or options that do not fit; a run whose model is the judge fails with it, too.
 * `model.unknown` for a judge that there is not.
 */
export const guardrails = (
  guards: readonly (Guard | BuiltInGuard | 'pii' | 'secrets' | 'injection')[],
  options: GuardrailOptions = {},
): Guardrails => {
  checkOptions(guardrailsSchema(), { ...options, guards }, { code: 'resource.invalid', owner: 'guardrails' });
  return new Rails(guards, options.clock === undefined ? systemClock : patientClock(options.clock));
};

type GivenGuard = Parameters<typeof guardrails>[0][number];

class Rails implements Guardrails {
  readonly name = 'guardrails';
  readonly #guards: readonly RunGuard[];
  readonly #clock: Clock;
  readonly #call: ReturnType<typeof guardedCall>;

  constructor(guards: readonly GivenGuard[], clock: Clock) {
    this.#guards = guards.map((guard) => guardOf(guard, clock));
    this.#clock = clock;
    this.#call = guardedCall(this.#guards, clock);
  }

  around(model: Model, use?: ModelUse): Model {
    for (const { name, judge } of this.#guards)
      if (judge !== undefined && (judge === model || nameOf(judge) === nameOf(model)))
        throw new TroupeError(
          'resource.invalid',
          `Cannot guard ${nameOf(model)} by '${name}' as it would judge its own texts: name another model`,
        );
    const guarded = guardedModel(model, this.#guards, this.#clock, use);
    const judges = this.#guards.flatMap(({ judge }) => (judge?.secrets === undefined ? [] : [judge.secrets]));
    if (guarded === model || judges.length === 0) return guarded;
    return {
      ...guarded,
      secrets: () => Object.assign({}, model.secrets?.(), ...judges.map((each) => each())),
    };
  }

  execute(call: ExecutableCall): unknown {
    return this.#call === undefined ? call.run() : this.#call(call);
  }

  input(text: string): Promise<string> {
    const { signal } = new AbortController();
    return guardText(
      this.#guards.filter(({ on }) => on.includes('input')),
      text,
      { place: 'input', key: 'input', signal: () => signal, clock: this.#clock },
    );
  }
}

type RunGuard = TrustedGuard & { readonly judge?: Model };

const nameOf = ({ provider, id }: Model): string => `${provider}:${id}`;

const byName = {
  pii: { use: 'pii' },
  secrets: { use: 'secrets' },
  injection: { use: 'injection' },
} as const;

const guardOf = (guard: GivenGuard, clock: Clock): RunGuard => {
  if (typeof guard === 'string') return guardOf(byName[guard], clock);
  if (!('use' in guard)) return { ...guard, check: (text, use) => guard.check(text, use) };
  switch (guard.use) {
    case 'pii':
      return piiGuard(guard);
    case 'secrets':
      return secretsGuard(guard);
    case 'injection':
      return injectionGuard(guard);
    case 'topic':
      return topicGuard(guard);
    case 'judge':
      return judgeGuard(guard, resolveModel(guard.model), clock);
  }
};
