import type OpenAI from 'openai';
import { TroupeError } from '../../contracts/error.ts';
import type { Model } from '../../contracts/model.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage } from '../load-package.ts';
import { type ProviderOptions, sdkOptions } from '../provider-options.ts';
import { sdkModel } from '../sdk-model.ts';
import type { ChatProfile } from './chat-profile.ts';
import { type ChatProfileName, profileAt, profileNamed } from './chat-profiles.ts';

/** Options of {@link openaiChat}. */
export interface OpenAIChatOptions extends ProviderOptions {
  /** The name of the model's provider. Default: the name of `profile`, else `compatible`. */
  readonly provider?: string | undefined;
  /**
   * The differences of the server from OpenAI: the name of a profile, or one of your own. Default: the one whose address
   * `baseURL` is, else none.
   */
  readonly profile?: ChatProfileName | ChatProfile | undefined;
  /**
   * Streams the answer. Without streaming, a whole answer has to come within the `idleTimeoutMs` of the agent's
   * `retry`. Default true; an answer that comes in one piece all the same is read too.
   */
  readonly stream?: boolean | undefined;
}

/**
 * A model behind any server that speaks OpenAI's Chat Completions: Mistral, Gemini, Groq, DeepSeek, Ollama, vLLM …; needs
 * the package `openai`, loaded on the first call.
 *
 * One call is one request. How a server differs is its *profile*, found by the address or chosen by name; with a name,
 * address and key come from the profile too (`MISTRAL_API_KEY`). A key is sent if there is one; local servers need none.
 * Thinking that arrives as `<think>` blocks at the start of the text is separated from the answer.
 *
 * @example
 * const local = openaiChat('llama3.2', { baseURL: 'http://localhost:11434/v1' });
 * const large = openaiChat('mistral-large-latest', { profile: 'mistral' }); // reads MISTRAL_API_KEY
 *
 * @throws {TroupeError} `model.unknown` for a profile that there is not, `input.invalid` for one that is none. The model
 * rejects with a TroupeError with a `model.*` code, or with the abort's reason.
 */
export const openaiChat = (id: string, options: OpenAIChatOptions = {}): Model => {
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const isStreamed = checkStream(options.stream);
  const provider = options.provider ?? named?.name ?? 'compatible';
  return sdkModel({
    provider,
    id,
    apiKey: options.apiKey,
    createClient: () => createClient(`${provider}:${id}`, options, named),
    protocol: async () => {
      const { chatReader } = await import('./chat-answer.ts');
      const { chatRequest } = await import('./chat-request.ts');
      const profile = named ?? profileAt(addressOf(options, named));
      return {
        codes: profile.errorCodes,
        refusedKeywords: profile.refusedKeywords,
        open: async (client, context, signal) => {
          const body = chatRequest(context, { profile, isStreamed, extra: options.extra });
          if (isStreamed) return client.chat.completions.create(body, { signal }).withResponse();
          const response = await client.post('/chat/completions', { body, signal }).asResponse();
          return { data: noEvents(), response: asJson(response) };
        },
        reader: (context) => chatReader(context, profile),
      };
    },
  });
};

const checkStream = (stream: unknown): boolean => {
  if (stream === undefined || typeof stream === 'boolean') return stream ?? true;
  throw new TroupeError(
    'input.invalid',
    `Cannot make a model as its option 'stream' is ${JSON.stringify(stream)}: it has to be true or false`,
  );
};

/** Of an answer in one piece there is no stream. */
const noEvents = () => ({
  controller: new AbortController(),
  [Symbol.asyncIterator]: () => ({
    next: (): Promise<IteratorReturnResult<undefined>> => Promise.resolve({ done: true, value: undefined }),
  }),
});

/** An answer that was asked for as JSON is read as JSON, whatever a server calls it. */
const asJson = (response: Response): Response => {
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
};

/** The SDK insists on a key; servers that need none do not look at it. */
const NO_KEY = 'none';

/**
 * The address of the server: the one that somebody gave, before what the environment says of servers in general, before the one that servers of
 * that kind have by default. A provider with its own key has its own address.
 */
const addressOf = ({ baseURL }: OpenAIChatOptions, named: ChatProfile | undefined): string | undefined => {
  if (baseURL !== undefined) return baseURL;
  const inGeneral = variable(processEnvironment(), 'OPENAI_BASE_URL');
  return named?.keyVariable === undefined ? (inGeneral ?? named?.baseURL) : (named.baseURL ?? inGeneral);
};

const createClient = async (
  name: string,
  options: OpenAIChatOptions,
  named: ChatProfile | undefined,
): Promise<OpenAI> => {
  const baseURL = addressOf(options, named);
  if (named !== undefined && baseURL === undefined)
    throw new TroupeError(
      'model.missing',
      `Cannot ask ${name} as nobody says where its server is: give the option 'baseURL', or set OPENAI_BASE_URL`,
    );
  const apiKey = options.apiKey ?? keyFor(name, baseURL, named);
  const { OpenAI } = await loadPackage('openai', () => import('openai'));
  return new OpenAI({ ...sdkOptions(options), apiKey, baseURL: baseURL ?? null });
};

/** A provider that was chosen by its name never gets a key that is meant for OpenAI. */
const keyFor = (name: string, baseURL: string | undefined, named: ChatProfile | undefined): string => {
  const environment = processEnvironment();
  const keyVariable = (named ?? profileAt(baseURL)).keyVariable;
  const own = keyVariable === undefined ? undefined : variable(environment, keyVariable);
  if (own !== undefined) return own;
  if (named?.keyVariable !== undefined && named.baseURL === baseURL)
    throw new TroupeError('model.auth', `Cannot ask ${name} as no API key is set: set ${named.keyVariable}`);
  return variable(environment, 'OPENAI_API_KEY') ?? NO_KEY;
};
