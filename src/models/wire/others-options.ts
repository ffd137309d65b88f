import { nearestName } from '../../base/text/nearest-name.ts';
import type { Model, ModelAnswer, ModelSettings } from '../../contracts/models/model.ts';
import { withOmitted } from './sent-settings.ts';

/** The beginning of the names that omitted options have. */
const OPTIONS = 'providerOptions.';

/**
 * The options of settings that are for other providers than that of the model, each with the reason why they are not sent.
 *
 * @example
 * othersOptions({ providerOptions: { opnai: { user: 'ann' } } }, 'openai')
 * // => { 'providerOptions.opnai': "its provider is 'openai': did you mean that?" }
 */
export const othersOptions = (
  { providerOptions = {} }: ModelSettings = {},
  provider: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.keys(providerOptions)
      .filter((name) => name !== provider && providerOptions[name] !== undefined)
      .map((name) => {
        const hint = nearestName(name, [provider]) === undefined ? '' : ': did you mean that?';
        return [`${OPTIONS}${name}`, `its provider is '${provider}'${hint}`];
      }),
  );

/** An answer that does not report as omitted what is for one of the given models: they take it when they are asked. */
export const withoutOptionsOf = (
  models: readonly Pick<Model, 'provider'>[],
  answer: ModelAnswer,
): ModelAnswer => {
  const { omitted, ...rest } = answer;
  if (omitted === undefined) return answer;
  const taken = models.map(({ provider }) => `${OPTIONS}${provider}`);
  const left = Object.entries(omitted).filter(([name]) => !taken.includes(name));
  return withOmitted(rest, Object.fromEntries(left));
};

/** The provider whose name options probably were to have, as it is nearly theirs; undefined if there is none. */
export const misnamedOptions = (
  { providerOptions = {} }: ModelSettings,
  providers: readonly string[],
): { readonly name: string; readonly meant: string } | undefined => {
  for (const name of Object.keys(providerOptions)) {
    const meant = providers.includes(name) ? undefined : nearestName(name, providers);
    // Options under both names are for two providers.
    if (meant !== undefined && providerOptions[meant] === undefined) return { name, meant };
  }
  return undefined;
};
