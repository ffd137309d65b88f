import type { ChatFinish, ChatProfile } from './chat-profile.ts';

/**
 * Returns the meaning of a finish reason. Only a known one ends an answer: any other is `model.malformed`, as an answer
 * that ended for an unknown reason may be incomplete.
 *
 * @example
 * chatFinish('insufficient_system_resource', { name: 'ours' }) // => 'model.unavailable'
 */
export const chatFinish = (word: string, { finishWords = {} }: ChatProfile): ChatFinish => {
  const plain = word.trim().toLowerCase();
  // Google appends its own reason after a colon: `function_call_filter: MALFORMED_FUNCTION_CALL`.
  const [head = plain] = plain.split(':');
  for (const each of [word, plain, head]) {
    const own = Object.hasOwn(finishWords, each) ? finishWords[each] : undefined;
    const found = own ?? WORDS.get(each);
    if (found !== undefined) return found;
  }
  return 'model.malformed';
};

/**
 * The finish reasons of OpenAI, and of servers that host any model: vLLM, SGLang, TGI, LiteLLM, Zhipu, Mistral, Cohere.
 */
const WORDS: ReadonlyMap<string, ChatFinish> = new Map<string, ChatFinish>([
  ...['stop', 'eos', 'eos_token', 'stop_sequence', 'end_turn', 'complete'].map(
    (word) => [word, 'stop'] as const,
  ),
  ...['tool_calls', 'function_call', 'tool_use', 'tool_call'].map((word) => [word, 'tool-calls'] as const),
  ...['length', 'max_tokens', 'max_output_tokens'].map((word) => [word, 'length'] as const),
  ...['content_filter', 'sensitive', 'safety', 'error_toxic'].map(
    (word) => [word, 'content-filter'] as const,
  ),
  ['refusal', 'refusal'],
  // Google, also behind relays.
  ...['function_call_filter', 'malformed_function_call'].map((word) => [word, 'bad-call'] as const),
  ...['model_length', 'model_context_window_exceeded'].map(
    (word) => [word, 'model.context-overflow'] as const,
  ),
  ...['error', 'network_error', 'insufficient_system_resource', 'abort', 'aborted'].map(
    (word) => [word, 'model.unavailable'] as const,
  ),
]);
