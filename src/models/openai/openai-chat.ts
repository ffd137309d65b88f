import type OpenAI from 'openai';
import type { Model } from '../../contracts/model.ts';
import { processEnvironment, variable } from '../environment.ts';
import { loadPackage } from '../load-package.ts';
import { type ProviderOptions, sdkOptions } from '../provider-options.ts';
import { sdkModel } from '../sdk-model.ts';

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
export const openaiChat = (id: string, options: OpenAIChatOptions = {}): Model =>
  sdkModel({
    provider: options.provider ?? 'compatible',
    id,
    createClient: () => createClient(options),
    protocol: async () => {
      const { chatReader } = await import('./chat-answer.ts');
      const { chatRequest } = await import('./chat-request.ts');
      return {
        open: (client, { who, request, names }, signal) =>
          client.chat.completions
            .create(chatRequest(who, request, names, options.extra), { signal })
            .withResponse(),
        reader: chatReader,
      };
    },
  });

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
