import { nearestName } from '../../base/text/nearest-name.ts';
import type { Model, ModelAnswer, ModelSettings } from '../../contracts/models/model.ts';
import { withOmitted } from './sent-settings.ts';

/** Settings that are by provider. */
const BY_PROVIDER = ['providerOptions', 'providerTools'] as const;

/**
 * The options and tools of settings that are for other providers than that of the model, each with the reason why they are not sent.
 *
 * @example
 * othersOptions({ providerOptions: { opnai: { user: 'ann' } } }, 'openai')
 * // => { 'providerOptions.opnai': "its provider is 'openai': did you mean that?" }
 */
export const othersOptions = (
  settings: ModelSettings = {},
  provider: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    BY_PROVIDER.flatMap((field) =>
      Object.entries(settings[field] ?? {})
        .filter(([name, given]) => name !== provider && given !== undefined)
        .map(([name]) => {
          const hint = nearestName(name, [provider]) === undefined ? '' : ': did you mean that?';
          return [`${field}.${name}`, `its provider is '${provider}'${hint}`];
        }),
    ),
  );

/** An answer that does not report as omitted what is for one of the given models: they take it when they are asked. */
export const withoutOptionsOf = (
  models: readonly Pick<Model, 'provider'>[],
  answer: ModelAnswer,
): ModelAnswer => {
  if (answer.omitted === undefined) return answer;
  const { omitted, ...rest } = answer;
  const taken = models.flatMap(({ provider }) => BY_PROVIDER.map((field) => `${field}.${provider}`));
  const left = Object.entries(omitted).filter(([name]) => !taken.includes(name));
  return withOmitted(rest, Object.fromEntries(left));
};

/** The field of options or tools, and the provider whose name they probably were to have, as it is nearly theirs; undefined if there is none. */
export const misnamedOptions = (
  settings: ModelSettings,
  providers: readonly string[],
): { readonly field: string; readonly meant: string } | undefined => {
  for (const field of BY_PROVIDER) {
    const given: Readonly<Record<string, unknown>> = settings[field] ?? {};
    for (const name of Object.keys(given)) {
      const meant = providers.includes(name) ? undefined : nearestName(name, providers);
      // Options under both names are for two providers.
      if (meant !== undefined && given[meant] === undefined) return { field: `${field}.${name}`, meant };
    }
  }
  return undefined;
};
