import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isJsonObject, type JsonObject, toJson } from '../../contracts/json.ts';

/**
 * A chat completion that came in one piece, as the chunk of a stream that holds everything; undefined for a body that is
 * none.
 */
export const wholeChunk = (body: unknown): ChatCompletionChunk | undefined => {
  const completion = toJson(body);
  if (!isJsonObject(completion) || !Array.isArray(completion['choices'])) return undefined;
  const choices = completion['choices'].filter(isJsonObject).map((choice) => ({
    ...choice,
    delta: isJsonObject(choice['message']) ? indexed(choice['message']) : choice['delta'],
  }));
  const chunk: unknown = { ...completion, choices };
  return isChunk(chunk) ? chunk : undefined;
};

/** In a whole message calls are numbered by their place. */
const indexed = (message: JsonObject): JsonObject => {
  const { tool_calls: calls } = message;
  return Array.isArray(calls)
    ? {
        ...message,
        tool_calls: calls.map((call, index) => (isJsonObject(call) ? { ...call, index } : call)),
      }
    : message;
};

/** The reader takes any shape for what it may be, and finds out what cannot be. */
const isChunk = (value: unknown): value is ChatCompletionChunk => isJsonObject(value) && 'choices' in value;
