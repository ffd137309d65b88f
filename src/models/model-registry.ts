import { TroupeError } from '../contracts/errors/error.ts';
import type { Model } from '../contracts/models/model.ts';
import { nearestName } from '../base/text/nearest-name.ts';
import { anthropicModel } from './anthropic/anthropic-model.ts';
import { type Environment, processEnvironment, variable } from './environment.ts';
import { lazyOfflineModel } from './offline/lazy-offline-model.ts';
import type { ChatProfile } from './openai/chat-profile.ts';
import { chatProfiles } from './openai/chat-profiles.ts';
import { openaiChatModel } from './openai/openai-chat-model.ts';
import { openaiModel } from './openai/openai-model.ts';
import { suggestModel } from './suggest-model.ts';

/** A model instance, `'provider:id'`, or `'offline'`. */
export type ModelChoice = Model | string;

/** Default model ids: each vendor's all-round model of the supported SDK versions. */
export const defaultModelIds = {
  openai: 'gpt-5.5',
  anthropic: 'claude-sonnet-5-5',
  compatible: 'llama3.2',
} as const;

/**
 * Resolves a choice of model; without one, the model that the environment names: `TROUPE_MODEL`, else whichever of
 * `OPENAI_API_KEY`, `ANTHROPIC_API_KEY` and `OPENAI_BASE_URL` is set first, else the offline model. `OPENAI_MODEL` and
 * `ANTHROPIC_MODEL` choose the id. A key together with an `OPENAI_BASE_URL` that is not OpenAI's own means a compatible
 * server with a key.
 *
 * Keys and addresses come from `environment`; a provider's package is loaded, and its key
 * read, only when the model is asked.
 *
 * @example
 * resolveModel('openai:gpt-5.5')
 * resolveModel('anthropic:claude-sonnet-5-5')
 * resolveModel('mistral:mistral-large-latest') // reads MISTRAL_API_KEY; so all of `chatProfiles`
 * resolveModel('compatible:llama3.2') // the server at OPENAI_BASE_URL
 * resolveModel('offline')             // no key, no network, no LLM
 * resolveModel(undefined, { ANTHROPIC_API_KEY: 'sk-…' }).provider // => 'anthropic'
 *
 * @throws `model.unknown` for an unknown provider; the message lists the known ones. `model.missing` for `compatible`
 * without OPENAI_BASE_URL, or a provider of `chatProfiles` without a model.
 */
export const resolveModel = (
  choice?: ModelChoice,
  environment: Environment = processEnvironment(),
): Model => {
  if (choice === undefined) return modelFromEnvironment(environment);
  if (typeof choice !== 'string') return choice;
  const colon = choice.indexOf(':');
  const provider = (colon < 0 ? choice : choice.slice(0, colon)).trim().toLowerCase();
  const id = colon < 0 ? '' : choice.slice(colon + 1).trim();
  const make = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  if (make === undefined) {
    throw new TroupeError(
      'model.unknown',
      `Cannot use the model '${choice}' as ${whyUnknown(choice, provider)}`,
    );
  }
  return make(id, environment);
};

const modelFromEnvironment = (environment: Environment): Model => {
  const chosen = variable(environment, 'TROUPE_MODEL');
  if (chosen !== undefined) return resolveModel(chosen, environment);
  const baseURL = variable(environment, 'OPENAI_BASE_URL');
  const isOwnAddress = baseURL === undefined || /^https?:\/\/[\w.-]*\bopenai\.com\b/i.test(baseURL);
  if (variable(environment, 'OPENAI_API_KEY') !== undefined) {
    return resolveModel(isOwnAddress ? 'openai' : 'compatible', environment);
  }
  if (variable(environment, 'ANTHROPIC_API_KEY') !== undefined) return resolveModel('anthropic', environment);
  return resolveModel(baseURL === undefined ? 'offline' : 'compatible', environment);
};

/** A name without a provider may be that of a model, or of a misspelt provider. */
const whyUnknown = (choice: string, provider: string): string => {
  const names = Object.keys(providers);
  const known = `providers are ${names.join(', ')}`;
  const meant = nearestName(provider, names);
  if (choice.includes(':')) {
    const hint = meant === undefined ? '' : `did you mean '${meant}${choice.slice(choice.indexOf(':'))}'? `;
    return `there is no provider '${provider}': ${hint}${known}`;
  }
  const hint = suggestModel(choice) ?? meant;
  return `it names no provider: ${hint === undefined ? 'write provider:model' : `did you mean '${hint}'?`}; ${known}`;
};

type Maker = (id: string, environment: Environment) => Model;

/** A model of a server whose profile is known, at its own address. */
const makerOf =
  (profile: ChatProfile): Maker =>
  (id, environment) => {
    const { name, keyVariable } = profile;
    if (id === '')
      throw new TroupeError(
        'model.missing',
        `Cannot use the provider '${name}' as no model is named: write '${name}:MODEL'`,
      );
    return openaiChatModel(id, {
      profile,
      apiKey: keyVariable === undefined ? undefined : variable(environment, keyVariable),
      // A self-hosted server may be at any address.
      baseURL: keyVariable === undefined ? variable(environment, 'OPENAI_BASE_URL') : undefined,
    });
  };

const providers: Readonly<Record<string, Maker>> = {
  openai: (id, environment) =>
    openaiModel(id || (variable(environment, 'OPENAI_MODEL') ?? defaultModelIds.openai), {
      apiKey: variable(environment, 'OPENAI_API_KEY'),
      baseURL: variable(environment, 'OPENAI_BASE_URL'),
    }),
  anthropic: (id, environment) =>
    anthropicModel(id || (variable(environment, 'ANTHROPIC_MODEL') ?? defaultModelIds.anthropic), {
      apiKey: variable(environment, 'ANTHROPIC_API_KEY'),
      baseURL: variable(environment, 'ANTHROPIC_BASE_URL'),
    }),
  compatible: (id, environment) => {
    const baseURL = variable(environment, 'OPENAI_BASE_URL');
    if (baseURL === undefined) {
      throw new TroupeError(
        'model.missing',
        `Cannot use the model 'compatible:${id}' as its server is not named: set OPENAI_BASE_URL`,
      );
    }
    return openaiChatModel(id || (variable(environment, 'OPENAI_MODEL') ?? defaultModelIds.compatible), {
      apiKey: variable(environment, 'OPENAI_API_KEY'),
      baseURL,
    });
  },
  offline: () => lazyOfflineModel(),
  ...Object.fromEntries(
    Object.values<ChatProfile>(chatProfiles).map((profile) => [profile.name, makerOf(profile)]),
  ),
};
