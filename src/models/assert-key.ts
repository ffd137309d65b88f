import { TroupeError } from '../contracts/errors/error.ts';
import type { Model } from '../contracts/models/model.ts';
import type { Environment } from './environment.ts';
import { variable } from './environment.ts';

/** Environment variables with a vendor's key, the usual one first. */
const keysOf: Readonly<Record<string, readonly [string, ...string[]]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
};

/**
 * Throws if the key of a model is missing in the environment, before work starts that needs the model. Only for models
 * made by `resolveModel`: one with an explicit key reads no variable.
 *
 * @throws {TroupeError} `model.auth`
 */
export const assertKey = ({ provider, id }: Model, environment: Environment): void => {
  const names = Object.hasOwn(keysOf, provider) ? keysOf[provider] : undefined;
  if (names === undefined || names.some((name) => variable(environment, name) !== undefined)) return;
  throw new TroupeError('model.auth', `Cannot ask ${provider}:${id} as no API key is set: set ${names[0]}`);
};
