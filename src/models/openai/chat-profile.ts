import { type ErrorCode, errorCodes, TroupeError } from '../../contracts/error.ts';
import type { JsonObject } from '../../contracts/json.ts';
import type { FinishReason } from '../../contracts/model.ts';

/** The form in which a structured output is asked for: by its schema, as any JSON with the schema in words, or in words alone. */
export type ChatOutputForm = 'json_schema' | 'json_object' | 'words';

/** The meaning of a finish word: an end of an answer, or the error that it stands for. */
export type ChatFinish = FinishReason | 'bad-call' | ErrorCode;

/**
 * The ways in which one server differs from OpenAI's Chat Completions, as data.
 *
 * Every field but `name` is optional; what is left out is as OpenAI has it. A profile of your own begins from one that is
 * there, or from nothing.
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
  /** Its address, used where the profile is chosen by name and no `baseURL` is given. Default: none. */
  readonly baseURL?: string | undefined;
  /**
   * By which addresses it is recognized: a host (`api.mistral.ai`), the end of one (`.example.com`) or a port (`:11434`).
   * Default: none.
   */
  readonly hosts?: readonly string[] | undefined;
  /** The environment variable that holds its key. Default: none, which makes it a server that needs no key. */
  readonly keyVariable?: string | undefined;
  /** Call ids are exactly so many letters and digits; others are replaced. Default: any id will do. */
  readonly callIdLength?: number | undefined;
  /** Fields of the request's body that it refuses; they are left out. Default: none. */
  readonly refuses?: readonly string[] | undefined;
  /** Fields of the request's body that it knows by another name, by ours. Default: none. */
  readonly renames?: Readonly<Record<string, string>> | undefined;
  /** Its word for `tool_choice: 'required'`. Default `required`. */
  readonly requiredWord?: string | undefined;
  /** Takes the name of the one tool that is to be used. If not, that tool is the only one of the request. Default true. */
  readonly forcesByName?: boolean | undefined;
  /** Default `json_schema`. */
  readonly output?: ChatOutputForm | undefined;
  /** The form in which an output is asked for where there are tools as well. Default: as `output` says. */
  readonly outputWithTools?: ChatOutputForm | undefined;
  /** Keywords of JSON Schema that it refuses in tools and outputs; they are replaced, or said in descriptions. Default: none. */
  readonly refusedKeywords?: readonly string[] | undefined;
  /** Takes a user's words directly after the results of tools. If not, they are added to the last result. Default true. */
  readonly takesUserAfterTool?: boolean | undefined;
  /** Fields of its messages that it wants back: all that it sends, none, or those named. Default `all`. */
  readonly echoes?: 'all' | 'none' | readonly string[] | undefined;
  /** Fields that it demands in a message with calls, for messages that came without them. Default: none. */
  readonly foreignFields?: JsonObject | undefined;
  /** Fields that it demands in the first call of a message, for calls that came without any. Default: none. */
  readonly foreignCallFields?: JsonObject | undefined;
  /** Its own finish words, over those that everybody knows. Default: none. */
  readonly finishWords?: Readonly<Record<string, ChatFinish>> | undefined;
  /** Error codes (or types) of its own, and the code that each stands for. Default: none. */
  readonly errorCodes?: Readonly<Record<string, ErrorCode>> | undefined;
}

/**
 * Checks a profile that somebody wrote: a field that is misspelt would be ignored in silence.
 *
 * @throws {TroupeError} `input.invalid`, naming the field, what was found, and what fits.
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
        `Cannot use a chat profile as it has no field '${field}': there are ${Object.keys(CHECKS).join(', ')}`,
      );
    if (value !== undefined && !check.fits(value)) throw unfit(field, value, check.wanted);
  }
  if (!('name' in given)) throw unfit('name', undefined, CHECKS.name.wanted);
  return profile;
};

const unfit = (field: string, found: unknown, wanted: string): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot use a chat profile as ${field === '' ? 'it' : `its '${field}'`} is ${shown(found)}: it has to be ${wanted}`,
  );

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 80);

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
  refuses: texts,
  renames: {
    wanted: 'an object whose values are texts',
    fits: (value) => isObject(value) && Object.values(value).every(isText),
  },
  requiredWord: aText,
  forcesByName: flag,
  output: oneOf(FORMS),
  outputWithTools: oneOf(FORMS),
  refusedKeywords: texts,
  takesUserAfterTool: flag,
  echoes: {
    wanted: "'all', 'none' or a list of texts",
    fits: (value) => value === 'all' || value === 'none' || texts.fits(value),
  },
  foreignFields: object,
  foreignCallFields: object,
  finishWords: mapTo([...FINISHES, ...MODEL_CODES]),
  errorCodes: mapTo(MODEL_CODES),
};
