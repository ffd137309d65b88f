import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { type ErrorCode, errorCodes } from '../../contracts/errors/error-data.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { JsonObject } from '../../base/json/json.ts';
import type { FinishReason } from '../../contracts/models/model.ts';
import { BATCHES_WANTED, type ChatBatches, fitsBatches } from './chat-batches.ts';

/**
 * The way to request a structured output: by its schema, as any JSON with the schema in the prompt, or by the prompt
 * alone.
 */
export type ChatOutputForm = 'json_schema' | 'json_object' | 'words';

/** The meaning of a finish reason: an end of an answer, or an error code. */
export type ChatFinish = FinishReason | 'bad-call' | ErrorCode;

/**
 * The differences of one server from OpenAI's Chat Completions, as data.
 *
 * Every field but `name` is optional; an omitted one means OpenAI's behaviour. A custom profile can extend an existing
 * one.
 *
 * @example
 * const model = openaiChat('our-model', {
 *   baseURL: 'https://llm.example.com/v1',
 *   profile: { ...chatProfiles.vllm, name: 'ours', refuses: ['stream_options'] },
 * });
 */
export interface ChatProfile {
  /** The name of the provider, as in `mistral:mistral-large-latest`. */
  readonly name: string;
  /** Its address, used if the profile is chosen by name and no `baseURL` is given. Default: none. */
  readonly baseURL?: string | undefined;
  /**
   * By which addresses it is recognized: a host (`api.mistral.ai`), the end of one (`.example.com`) or a port (`:11434`).
   * Default: none.
   */
  readonly hosts?: readonly string[] | undefined;
  /** The environment variable with its key. Default: none, for a server without keys. */
  readonly keyVariable?: string | undefined;
  /** Required number of letters and digits of a call id; others are replaced. Default: any id is accepted. */
  readonly callIdLength?: number | undefined;
  /** Fields of the request's body that it refuses, or those that a model of it does; they are left out. Default: none. */
  readonly refuses?: readonly string[] | ((model: string) => readonly string[]) | undefined;
  /** Fields that OpenAI does not take and it does: `top_k`. Default: none. */
  readonly accepts?: readonly 'top_k'[] | undefined;
  /** Its names for fields of the request's body, by OpenAI's. Default: none. */
  readonly renames?: Readonly<Record<string, string>> | undefined;
  /** Its value for `tool_choice: 'required'`. Default `required`. */
  readonly requiredWord?: string | undefined;
  /** Takes the name of the one tool that is to be used. If not, that tool is the only one of the request. Default true. */
  readonly forcesByName?: boolean | undefined;
  /** Default `json_schema`. */
  readonly output?: ChatOutputForm | undefined;
  /** The form of a structured output if there are tools as well. Default: as `output`. */
  readonly outputWithTools?: ChatOutputForm | undefined;
  /**
   * Keywords of JSON Schema that it refuses in tools and outputs; they are replaced, or described in words. Default:
   * none.
   */
  readonly refusedKeywords?: readonly string[] | undefined;
  /**
   * Has OpenAI's strict mode: tools and outputs are sent as strict, their optional properties as ones that may be null. Default false;
   * OpenAI's own server does.
   */
  readonly strict?: boolean | undefined;
  /** Accepts a user's text directly after the results of tools. If not, it is added to the last result. Default true. */
  readonly takesUserAfterTool?: boolean | undefined;
  /** The media that its models take in a user's message; media in results of tools follow as one. Default: those that OpenAI takes. */
  readonly takes?: ContentSupport | undefined;
  /** Fields of its messages that must be sent back: all, none, or those named. Default `all`. */
  readonly echoes?: 'all' | 'none' | readonly string[] | undefined;
  /** Fields that it requires in a message with calls, for messages of other models. Default: none. */
  readonly foreignFields?: JsonObject | undefined;
  /** Fields that it requires in the first call of a message, for calls of other models. Default: none. */
  readonly foreignCallFields?: JsonObject | undefined;
  /** States the price of a call with its usage: as one of these servers does, or in US dollars as the function returns it. Default: none. */
  readonly bill?: 'openrouter' | 'xai' | ((usage: JsonObject) => unknown) | undefined;
  /** Takes batches, as OpenAI does (`/files`, `/batches`, at half the price), or in its own way. Default false; OpenAI's own server does. */
  readonly batches?: boolean | ChatBatches | undefined;
  /** Its own finish reasons, in addition to the common ones. Default: none. */
  readonly finishWords?: Readonly<Record<string, ChatFinish>> | undefined;
  /** Its own error codes (or types), with the code that each maps to. Default: none. */
  readonly errorCodes?: Readonly<Record<string, ErrorCode>> | undefined;
}

/**
 * Validates a custom profile: a misspelt field would be ignored silently.
 *
 * @throws {TroupeError} `input.invalid`, naming the field, the value found, and valid ones.
 */
export const checkProfile = (profile: ChatProfile): ChatProfile => {
  const given: unknown = profile;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw unfit('', given, 'an object, or the name of a profile');
  for (const [field, value] of Object.entries(given)) {
    const check = Object.hasOwn(CHECKS, field) ? CHECKS[field as keyof ChatProfile] : undefined;
    if (check === undefined)
      throw new TroupeError(
        'input.invalid',
        `Cannot use a chat profile as '${field}' is not one of its fields: ${Object.keys(CHECKS).join(', ')}`,
      );
    if (value !== undefined && !check.fits(value)) throw unfit(field, value, check.wanted);
  }
  if (!('name' in given)) throw unfit('name', undefined, CHECKS.name.wanted);
  return profile;
};

const unfit = (field: string, found: unknown, wanted: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot use a chat profile as ${field === '' ? 'it' : `its '${field}'`} is ${showValue(found)}: it must be ${wanted}`,
  );

const showValue = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);

interface FieldCheck {
  readonly wanted: string;
  fits(value: unknown): boolean;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const aText: FieldCheck = { wanted: 'a text', fits: isText };
const texts: FieldCheck = {
  wanted: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every(isText),
};
const flag: FieldCheck = { wanted: 'true or false', fits: (value) => typeof value === 'boolean' };
const object: FieldCheck = { wanted: 'an object', fits: isObject };
const oneOf = (words: readonly string[]): FieldCheck => ({
  wanted: `one of ${words.join(', ')}`,
  fits: (value) => words.includes(String(value)),
});
const mapTo = (words: readonly string[]): FieldCheck => ({
  wanted: `an object whose values are among ${words.join(', ')}`,
  fits: (value) => isObject(value) && Object.values(value).every((each) => words.includes(String(each))),
});

const FORMS: readonly ChatOutputForm[] = ['json_schema', 'json_object', 'words'];
const FINISHES: readonly (FinishReason | 'bad-call')[] = [
  'stop',
  'tool-calls',
  'length',
  'content-filter',
  'refusal',
  'bad-call',
];
const MODEL_CODES = errorCodes.filter((code) => code.startsWith('model.'));
const LONGEST_CALL_ID = 64;

const CHECKS: Readonly<Record<keyof ChatProfile, FieldCheck>> = {
  name: {
    wanted: "a name without a colon or blanks, such as 'ours'",
    fits: (value) => typeof value === 'string' && /^[^\s:]+$/.test(value),
  },
  baseURL: {
    wanted: "an address, such as 'https://llm.example.com/v1'",
    fits: (value) => typeof value === 'string' && URL.canParse(value),
  },
  hosts: texts,
  keyVariable: aText,
  callIdLength: {
    wanted: `a whole number from 6 to ${LONGEST_CALL_ID}`,
    fits: (value) => Number.isInteger(value) && Number(value) >= 6 && Number(value) <= LONGEST_CALL_ID,
  },
  refuses: {
    wanted: 'a list of texts, or a function of the model that returns one',
    fits: (value) => typeof value === 'function' || texts.fits(value),
  },
  accepts: {
    wanted: 'a list of top_k',
    fits: (value) => Array.isArray(value) && value.every((field) => field === 'top_k'),
  },
  renames: {
    wanted: 'an object whose values are texts',
    fits: (value) => isObject(value) && Object.values(value).every(isText),
  },
  requiredWord: aText,
  forcesByName: flag,
  output: oneOf(FORMS),
  outputWithTools: oneOf(FORMS),
  refusedKeywords: texts,
  strict: flag,
  takesUserAfterTool: flag,
  batches: { wanted: BATCHES_WANTED, fits: fitsBatches },
  takes: object,
  echoes: {
    wanted: "'all', 'none' or a list of texts",
    fits: (value) => value === 'all' || value === 'none' || texts.fits(value),
  },
  foreignFields: object,
  foreignCallFields: object,
  bill: {
    wanted: 'openrouter, xai or a function of the usage',
    fits: (value) => value === 'openrouter' || value === 'xai' || typeof value === 'function',
  },
  finishWords: mapTo([...FINISHES, ...MODEL_CODES]),
  errorCodes: mapTo(MODEL_CODES),
};
