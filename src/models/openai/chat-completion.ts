import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { isJsonObject, type JsonObject, toJson } from '../../base/json/json.ts';

/** Converts a non-streamed chat completion to one chunk with all its content; undefined for any other body. */
export const wholeChunk = (body: unknown): ChatCompletionChunk | undefined => {
  const completion = toJson(body);
  if (!isJsonObject(completion) || !Array.isArray(completion['choices'])) return undefined;
  const choices = completion['choices'].filter(isJsonObject).map((choice) => ({
    ...choice,
    delta: isJsonObject(choice['message']) ? indexCalls(choice['message']) : choice['delta'],
  }));
  const chunk: unknown = { ...completion, choices };
  return isChunk(chunk) ? chunk : undefined;
};

/** In a whole message calls are numbered by their place. */
const indexCalls = (message: JsonObject): JsonObject => {
  const { tool_calls: calls } = message;
  return Array.isArray(calls)
    ? {
        ...message,
        tool_calls: calls.map((call, index) => (isJsonObject(call) ? { ...call, index } : call)),
      }
    : message;
};

/** Only the envelope is checked here: the reader validates the rest. */
const isChunk = (value: unknown): value is ChatCompletionChunk => isJsonObject(value) && 'choices' in value;
