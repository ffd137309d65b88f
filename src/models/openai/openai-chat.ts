import type OpenAI from 'openai';
import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { aBoolean, aText, anything, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { headersOf, type ProviderOptions, sdkOptions } from '../wire/provider-options.ts';
import { providerShape } from '../wire/provider-shape.ts';
import { sdkModel } from '../wire/sdk-model.ts';
import type { ChatProfile } from './chat-profile.ts';
import { type ChatProfileName, profileAt, profileNamed } from './chat-profiles.ts';

/** Options of {@link openaiChat}. */
export interface OpenAIChatOptions extends ProviderOptions {
  /** The name of the model's provider. Default: the name of `profile`, else `compatible`. */
  readonly provider?: string | undefined;
  /**
   * The differences of the server from OpenAI: the name of a profile, or a custom one. Default: the one that matches
   * `baseURL`, else none.
   */
  readonly profile?: ChatProfileName | ChatProfile | undefined;
  /**
   * Streams the answer. Without streaming, the whole answer must arrive within the `idleTimeoutMs` of the agent's
   * `retry`. Default true; a non-streamed answer is read in any case.
   */
  readonly stream?: boolean | undefined;
}

/**
 * A model behind any server that speaks OpenAI's Chat Completions: Mistral, Gemini, Groq, DeepSeek, Ollama, vLLM …;
 * needs the package `openai`, loaded on the first call.
 *
 * One call is one request. The differences of a server are its *profile*, found by the address or chosen by name; with
 * a name, address and key come from the profile too (`MISTRAL_API_KEY`). A key is sent if there is one; local servers
 * need none. Thinking that arrives as `<think>` blocks at the start of the text is separated from the answer.
 *
 * @example
 * const local = openaiChat('llama3.2', { baseURL: 'http://localhost:11434/v1' });
 * const large = openaiChat('mistral-large-latest', { profile: 'mistral' }); // reads MISTRAL_API_KEY
 *
 * @throws {TroupeError} `model.unknown` for an unknown profile, `input.invalid` for options that are unknown or do not fit. The model rejects
 * with a TroupeError with a `model.*` code, or with the abort's reason.
 */
export const openaiChat = (id: string, options: OpenAIChatOptions = {}): Model => {
  const { stream: isStreamed = true } = check(options, `the model '${id}'`);
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const provider = options.provider ?? named?.name ?? 'compatible';
  return sdkModel({
    provider,
    id,
    apiKey: options.apiKey,
    takes: () => options.takes ?? (named ?? profileAt(addressOf(options, named))).takes ?? TAKES,
    createClient: () => createClient(`${provider}:${id}`, options, named),
    protocol: async () => {
      const { chatReader } = await import('./chat-answer.ts');
      const { chatRequest, chatSettings } = await import('./chat-request.ts');
      const profile = named ?? profileAt(addressOf(options, named));
      return {
        codes: profile.errorCodes,
        refusedKeywords: profile.refusedKeywords,
        open: async (client, context, signal) => {
          const body = chatRequest(context, { profile, isStreamed, extra: options.extra });
          const sent = { signal, ...headersOf(context) };
          if (isStreamed) return client.chat.completions.create(body, sent).withResponse();
          const response = await client.post('/chat/completions', { body, ...sent }).asResponse();
          return { data: noEvents(), response: asJson(response) };
        },
        reader: (context) => chatReader(context, profile),
        omitted: (request) => chatSettings(id, request, profile).omitted,
      };
    },
  });
};

/** Images, PDFs and sound (platform.openai.com/docs, Chat Completions). */
const TAKES: ContentSupport = {
  media: ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'application/pdf', 'audio/wav', 'audio/mpeg'],
  links: ['image/*'],
};

const check = optionsCheck<OpenAIChatOptions>({ code: 'input.invalid', owner: 'a chat model' }, () => ({
  ...providerShape(),
  provider: optional(aText(1)),
  // Checked when it is looked up.
  profile: anything(),
  stream: optional(aBoolean()),
}));

/** The empty stream of a non-streamed answer. */
const noEvents = () => ({
  controller: new AbortController(),
  [Symbol.asyncIterator]: () => ({
    next: (): Promise<IteratorReturnResult<undefined>> => Promise.resolve({ done: true, value: undefined }),
  }),
});

/** Declares a response as JSON, whatever its content type says, as JSON was requested. */
const asJson = (response: Response): Response => {
  const headers = new Headers(response.headers);
  headers.set('content-type', 'application/json');
  const { status, statusText } = response;
  return new Response(response.body, { status, statusText, headers });
};

/** The SDK requires a key; servers without keys ignore it. */
const NO_KEY = 'none';

/**
 * Address of the server: an explicit one, else the environment's general one, else the default of the profile. A
 * provider with a key of its own has its own address.
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
      `Cannot ask ${name} as its server is not configured: give the option 'baseURL', or set OPENAI_BASE_URL`,
    );
  const apiKey = options.apiKey ?? keyFor(name, baseURL, named);
  const { OpenAI } = await loadPackage('openai', () => import('openai').catch(rethrow));
  return new OpenAI({ ...sdkOptions(options), apiKey, baseURL: baseURL ?? null });
};

/** A provider chosen by name never gets a key meant for OpenAI. */
const keyFor = (name: string, baseURL: string | undefined, named: ChatProfile | undefined): string => {
  const environment = processEnvironment();
  const keyVariable = (named ?? profileAt(baseURL)).keyVariable;
  const own = keyVariable === undefined ? undefined : variable(environment, keyVariable);
  if (own !== undefined) return own;
  if (named?.keyVariable !== undefined && named.baseURL === baseURL)
    throw new TroupeError('model.auth', `Cannot ask ${name} as no API key is set: set ${named.keyVariable}`);
  return variable(environment, 'OPENAI_API_KEY') ?? NO_KEY;
};
