import type OpenAI from 'openai';
import type { Model } from '../../contracts/models/model.ts';
import { byBatchOf } from '../batch/by-batch.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { batchesOfServer, batchShareOf } from './batched-server.ts';
import { checkProfile } from './chat-profile.ts';
import { openaiChatModel, type OpenAIChatOptions } from './openai-chat-model.ts';

export type { OpenAIChatOptions };

/**
 * A model behind any server that speaks OpenAI's Chat Completions: Mistral, Gemini, Groq, DeepSeek, Ollama, vLLM …;
 * needs the package `openai`, loaded on the first call.
 *
 * One call is one request. The differences of a server are its *profile*, found by the address or chosen by name; with
 * a name, address and key come from the profile too (`MISTRAL_API_KEY`). A key is sent if there is one; local servers
 * need none. With `batch`, servers that take batches (OpenAI, Groq, Mistral, Together) answer within a day, at about half the price. Thinking that arrives as `<think>` blocks at the start of the text is separated from the answer.
 *
 * @example
 * const local = openaiChat('llama3.2', { baseURL: 'http://localhost:11434/v1' });
 * const large = openaiChat('mistral-large-latest', { profile: 'mistral' }); // reads MISTRAL_API_KEY
 *
 * @throws {TroupeError} `model.unknown` for an unknown profile, `input.invalid` for options that are unknown or do not fit. The model rejects
 * with a TroupeError with a `model.*` code, or with the abort's reason.
 */
export const openaiChat = (id: string, options: OpenAIChatOptions = {}): Model => {
  const { profile, batch = false } = { ...options };
  // Only here: a model that is named in words has no profile of its own.
  if (profile !== undefined && typeof profile !== 'string') checkProfile(profile);
  if (batch === false) return openaiChatModel(id, options);
  const batches = batchesOfServer(id, options);
  const load = async () => {
    const { openaiBatches } = await import('./openai-batches.ts');
    return (client: OpenAI, who: ErrorContext) => openaiBatches(client, who, '/v1/chat/completions', batches);
  };
  return openaiChatModel(id, options, byBatchOf<OpenAI>(id, options, load, batchShareOf(batches, id)));
};
