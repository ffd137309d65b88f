import { TroupeError } from '../contracts/error.ts';
import type { Model } from '../contracts/model.ts';
import type { Environment } from './environment.ts';
import { variable } from './environment.ts';

/** What each vendor's models read their key from, the usual one first. */
const keysOf: Readonly<Record<string, readonly [string, ...string[]]>> = {
  openai: ['OPENAI_API_KEY'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
};

/**
 * Throws where the key of a model is not in the environment, where there is work to do before the model is asked. Only of models
 * that `resolveModel` made: one that was given its key reads none.
 *
 * @throws {TroupeError} `model.auth`
 */
export const assertKey = ({ provider, id }: Model, environment: Environment): void => {
  const names = Object.hasOwn(keysOf, provider) ? keysOf[provider] : undefined;
  if (names === undefined || names.some((name) => variable(environment, name) !== undefined)) return;
  throw new TroupeError('model.auth', `Cannot ask ${provider}:${id} as no API key is set: set ${names[0]}`);
};
