import type OpenAI from 'openai';
import type { ContentSupport } from '../../contracts/content/content-support.ts';
import { aBoolean, aText, anything, optional } from '../../base/schemas/option-schemas.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage, rethrow } from '../../contracts/errors/load-package.ts';
import { noEvents } from '../wire/no-events.ts';
import { headersOf, type ProviderOptions, sdkOptions } from '../wire/provider-options.ts';
import { checkModelId, providerShape } from '../wire/provider-shape.ts';
import type { ReaderContext } from '../wire/reader-context.ts';
import { type MakeModel, sdkModel } from '../wire/sdk-model.ts';
import type { ChatProfile } from './chat-profile.ts';
import { type ChatProfileName, profileAt, profileNamed } from './chat-profiles.ts';

/** Options of a model behind Chat Completions. */
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

/** The model behind `openaiChat`, as `make` makes one of the provider's API. */
export const openaiChatModel = (
  id: string,
  options: OpenAIChatOptions,
  make: MakeModel<OpenAI> = sdkModel,
): Model => {
  checkModelId(id);
  const { stream: isStreamed = true } = check(options, `the model '${id}'`);
  const named = options.profile === undefined ? undefined : profileNamed(options.profile);
  const provider = options.provider ?? named?.name ?? 'compatible';
  return make({
    provider,
    id,
    apiKey: options.apiKey,
    takes: () => options.takes ?? (named ?? profileAt(addressOf(options, named))).takes ?? TAKES,
    createClient: () => createClient(`${provider}:${id}`, options, named),
    protocol: async () => {
      const { chatReader } = await import('./chat-answer.ts');
      const { chatRequest, chatSettings } = await import('./chat-request.ts');
      const profile = named ?? withStrictMode(addressOf(options, named));
      const body = (context: ReaderContext) =>
        chatRequest(context, { profile, isStreamed, extra: options.extra });
      return {
        codes: profile.errorCodes,
        refusedKeywords: profile.refusedKeywords,
        isStrict: profile.strict,
        body,
        open: async (client, context, signal) => {
          const sent = { signal, ...headersOf(context) };
          if (isStreamed) return client.chat.completions.create(body(context), sent).withResponse();
          const response = await client
            .post('/chat/completions', { body: body(context), ...sent })
            .asResponse();
          return { data: noEvents(), response: asJson(response) };
        },
        reader: (context) => chatReader(context, profile),
        omitted: (request) => chatSettings(id, request, profile).omitted,
      };
    },
  });
};

/** The profile of the server at an address; OpenAI's own has a strict mode. */
const withStrictMode = (address: string | undefined): ChatProfile => {
  const profile = profileAt(address);
  return isOpenAI(profile.name, address) ? { ...profile, strict: true } : profile;
};

/** Checks whether a server is OpenAI's own, by the name of its profile and its address. */
export const isOpenAI = (profile: string, address: string | undefined): boolean => {
  if (address === undefined) return profile === 'compatible';
  return URL.canParse(address) && /^(?:[\w-]+\.)?api\.openai\.com$/.test(new URL(address).hostname);
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
export const addressOf = (
  { baseURL }: OpenAIChatOptions,
  named: ChatProfile | undefined,
): string | undefined => {
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
