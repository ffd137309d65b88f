import { onDemand } from '../../base/on-demand.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import {
  aBoolean,
  aFraction,
  aNumber,
  aText,
  byName,
  formOr,
  fulfilling,
  isObject,
  listOf,
  oneOf,
  optional,
  optionsSchema,
  together,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import type { ModelSettings, ReasoningSettings, ToolChoice } from '../../contracts/models/model.ts';

/** The schema of an agent's settings of its model calls. */
export const settingsSchema = onDemand(() => {
  const penalty = fulfilling(
    (given) => typeof given === 'number' && given >= -2 && given <= 2,
    'not a number from -2 to 2',
  );
  const effort = oneOf(['none', 'minimal', 'low', 'medium', 'high']);
  const reasoning = optionsSchema<ReasoningSettings>({
    effort: optional(effort),
    budgetTokens: optional(wholeNumber(1)),
  });
  const oneTool = optionsSchema<Exclude<ToolChoice, string>>({ name: aText(1) });
  const headers = together<Readonly<Record<string, string>>>(byName(aText()), (given) => {
    const odd = Object.keys(given).find((name) => !isHeader(name, given[name] ?? ''));
    return odd === undefined ? undefined : [odd, 'not a header: it has a character that HTTP does not allow'];
  });
  const anObject = fulfilling(isJsonObject, 'not an object of JSON values');
  // The adapter relies on these: it reads a stream of the model that the run names.
  const fieldsOfProvider = together<JsonObject>(anObject, (given) => {
    const owned = ['model', 'stream'].find((name) => given[name] !== undefined);
    return owned === undefined ? undefined : [owned, 'set by the adapter: leave it out'];
  });
  const someTexts = listOf(aText(1), 'not a list of texts: write `stop: [ … ]`');
  return optionsSchema<ModelSettings>({
    maxOutputTokens: optional(wholeNumber(1)),
    temperature: optional(aNumber(0)),
    topP: optional(aFraction()),
    topK: optional(wholeNumber(1)),
    stop: optional(someTexts),
    seed: optional(fulfilling(Number.isSafeInteger, 'not a whole number')),
    presencePenalty: optional(penalty),
    frequencyPenalty: optional(penalty),
    parallelCalls: optional(aBoolean()),
    toolChoice: optional(
      formOr(
        (given) => !isObject(given),
        fulfilling((given) => CHOICES.includes(String(given)), 'not one of auto, required, none, { name }'),
        oneTool,
      ),
    ),
    reasoning: optional(formOr((given) => !isObject(given), effort, reasoning)),
    serviceTier: optional(aText(1)),
    headers: optional(headers),
    providerOptions: optional(byName(fieldsOfProvider)),
    providerTools: optional(byName(listOf(anObject, 'not a list of tools'))),
    cache: optional(aBoolean()),
  });
});

const CHOICES: readonly string[] = ['auto', 'required', 'none'];

const isHeader = (name: string, value: string): boolean =>
  /^[!#$%&'*+.^`|~\w-]+$/.test(name) && !/[\r\n\0]/.test(value);
