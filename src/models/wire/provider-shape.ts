import { isJsonObject } from '../../base/json/json.ts';
import type { OptionShape } from '../../base/schemas/option-schemas.ts';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  byName,
  fulfilling,
  listOf,
  optional,
  optionsSchema,
} from '../../base/schemas/option-schemas.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import type { ContentSupport } from '../../contracts/content/content-support.ts';
import type { ProviderOptions } from './provider-options.ts';

/** The schemas of what every model may be given: its media and its headers. */
export const modelShape = (): OptionShape<Pick<ProviderOptions, 'takes' | 'headers'>> => {
  const types = listOf(aText(1), "not a list of media types: write ['image/*']");
  return {
    takes: optional(
      optionsSchema<ContentSupport>({ media: types, inResults: optional(types), links: optional(types) }),
    ),
    headers: optional(byName(aText())),
  };
};

/**
 * Checks the id of a model.
 *
 * @throws {TroupeError} `input.invalid` for what is not a name.
 */
export const checkModelId = (id: string): void => {
  if (typeof id !== 'string' || id.trim() === '')
    throw new TroupeError(
      'input.invalid',
      `Cannot define a model as its id is not a name, such as 'gpt-5': found ${foundText(id)}`,
    );
};

/** The schemas of the options that the models of all providers have. */
export const providerShape = (): OptionShape<ProviderOptions> => ({
  ...modelShape(),
  apiKey: optional(aText()),
  baseURL: optional(aText()),
  fetch: optional(aFunction()),
  extra: optional(fulfilling(isJsonObject, 'not an object of JSON')),
  // Checked where it is read.
  batch: anything(),
  dangerouslyAllowBrowser: optional(aBoolean()),
});
