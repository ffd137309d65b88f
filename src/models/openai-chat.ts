import type OpenAI from 'openai';
import type { Model } from '../contracts/model.ts';
import { processEnvironment, variable } from './environment.ts';
import { loadPackage } from './load-package.ts';
import { chatReader } from './openai-chat-answer.ts';
import { chatRequest } from './openai-chat-request.ts';
import { type ProviderOptions, sdkOptions } from './provider-options.ts';
import { readAnswer } from './provider-stream.ts';
import { toolNames } from './tool-names.ts';

/** What {@link openaiChat} can be told. */
export interface OpenAIChatOptions extends ProviderOptions {
  /** What the model's provider is called. Default `compatible`. */
  readonly provider?: string | undefined;
}

/**
 * A model behind any server that speaks OpenAI's Chat Completions: Ollama, LM Studio, vLLM, DeepSeek, Groq …; needs the
 * package `openai`, loaded on the first call.
 *
 * One call is one request, always streamed. A key is sent if there is one; local servers need none. Thinking that arrives
 * as `<think>` blocks at the start of the text is told apart from the answer.
 *
 * @example
 * const model = openaiChat('llama3.2', { baseURL: 'http://localhost:11434/v1' });
 *
 * @throws (rejects with) a TroupeError with a `model.*` code, or the abort's reason.
 */
export const openaiChat = (id: string, options: OpenAIChatOptions = {}): Model => {
  const provider = options.provider ?? 'compatible';
  let client: Promise<OpenAI> | undefined;
  return {
    provider,
    id,
    answer: (request, call) => {
      const names = toolNames(request.tools.map(({ name }) => name));
      const who = { provider, model: id };
      return readAnswer(
        who,
        call,
        async (signal) => {
          client ??= createClient(options).catch((error: unknown) => {
            client = undefined;
            throw error;
          });
          const body = chatRequest(who, request, names, options.extra);
          return (await client).chat.completions.create(body, { signal }).withResponse();
        },
        chatReader({ who, request, call, names }),
      );
    },
  };
};

/** The SDK insists on a key; servers that need none do not look at it. */
const NO_KEY = 'none';

const createClient = async (options: OpenAIChatOptions): Promise<OpenAI> => {
  const environment = processEnvironment();
  const { OpenAI } = await loadPackage('openai', () => import('openai'));
  return new OpenAI({
    ...sdkOptions(options),
    apiKey: options.apiKey ?? variable(environment, 'OPENAI_API_KEY') ?? NO_KEY,
    baseURL: options.baseURL ?? variable(environment, 'OPENAI_BASE_URL') ?? null,
  });
};
