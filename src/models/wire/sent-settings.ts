import type { ModelAnswer, ModelSettings, ReasoningSettings } from '../../contracts/models/model.ts';

/** Settings with the reasoning in its two measures: what adapters translate. */
export type PlainSettings = Omit<ModelSettings, 'reasoning'> & ReasoningSettings;

/** A setting by the name that omissions have. */
type SettingName = Exclude<keyof ModelSettings, 'reasoning'> | 'reasoning.effort' | 'reasoning.budgetTokens';

/** The reasons for which a model does not take settings; undefined or false for one that it takes. */
export type Refusals = { readonly [Name in SettingName]?: string | false | undefined };

/** The settings of a request, apart from those that its model does not take. */
export interface SentSettings {
  readonly sent: PlainSettings;
  /** Names of the others, each with the reason. */
  readonly omitted: Readonly<Record<string, string>>;
}

/** Reasons that adapters share. */
export const NO_FIELD = 'its API has no field for it';
export const REASONS_INSTEAD = 'it is a model that reasons, and takes none';

/**
 * Separates the given settings from those that a model does not take.
 *
 * @example
 * sentSettings({ topK: 5, reasoning: 'low' }, { topK: 'its API has no field for it' })
 * // => { sent: { effort: 'low' }, omitted: { topK: 'its API has no field for it' } }
 */
export const sentSettings = (settings: ModelSettings = {}, refusals: Refusals = {}): SentSettings => {
  const sent: Record<string, unknown> = {};
  const omitted: Record<string, string> = {};
  for (const [name, value] of Object.entries(plainSettings(settings))) {
    if (value === undefined) continue;
    const known = omissionName(name);
    const reason = Object.hasOwn(refusals, known) ? refusals[known as SettingName] : undefined;
    if (typeof reason === 'string') omitted[known] = reason;
    else sent[name] = value;
  }
  // Some of the fields of plain settings, unchanged.
  return { sent: sent as PlainSettings, omitted };
};

/**
 * Writes the reasoning of settings out.
 *
 * @example
 * plainSettings({ seed: 7, reasoning: 'low' }) // => { seed: 7, effort: 'low' }
 */
export const plainSettings = ({ reasoning, ...settings }: ModelSettings): PlainSettings => ({
  ...settings,
  ...(typeof reasoning === 'string' ? { effort: reasoning } : reasoning),
});

/** The name that omissions have for a plain setting. */
export const omissionName = (name: string): string =>
  name === 'effort' || name === 'budgetTokens' ? `reasoning.${name}` : name;

/** An answer with the settings that its request was sent without, if there are any. */
export const withOmitted = (answer: ModelAnswer, omitted: SentSettings['omitted']): ModelAnswer =>
  Object.keys(omitted).length === 0 ? answer : { ...answer, omitted };
