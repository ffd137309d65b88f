import { TroupeError } from '../contracts/errors/error.ts';
import type { Model } from '../contracts/models/model.ts';
import type { Environment } from './environment.ts';
import { variable } from './environment.ts';
import type { ChatProfile } from './openai/chat-profile.ts';
import { chatProfiles } from './openai/chat-profiles.ts';

/** Environment variables with a vendor's key, the usual one first; empty where none is needed. */
const keysOf = (provider: string): readonly string[] => {
  if (provider === 'openai') return ['OPENAI_API_KEY'];
  if (provider === 'anthropic') return ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];
  const profile = Object.values<ChatProfile>(chatProfiles).find(({ name }) => name === provider);
  return profile?.keyVariable === undefined ? [] : [profile.keyVariable];
};

/**
 * Throws if the key of a model is missing in the environment, before work starts that needs the model. Only for models
 * made by `resolveModel`: one with an explicit key reads no variable.
 *
 * @throws {TroupeError} `model.auth`
 */
export const assertKey = ({ provider, id }: Model, environment: Environment): void => {
  const names = keysOf(provider);
  const [usual] = names;
  if (usual === undefined || names.some((name) => variable(environment, name) !== undefined)) return;
  throw new TroupeError('model.auth', `Cannot ask ${provider}:${id} as no API key is set: set ${usual}`);
};
