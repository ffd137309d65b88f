/** Models answer prompts: their providers, prices, wrappers, and parsers for those without tool calls. */

// Providers
export { resolveModel } from './model-registry.ts';
export { openai } from './openai/openai.ts';
export { openaiChat } from './openai/openai-chat.ts';
export { chatProfiles } from './openai/chat-profiles.ts';
export type { ChatProfile } from './openai/chat-profile.ts';
export { anthropic } from './anthropic/anthropic.ts';
export { aiSdk } from './ai-sdk/ai-sdk.ts';
export { lazyOfflineModel as offlineModel } from './offline/lazy-offline-model.ts';
export { aiSdkEmbedder } from './ai-sdk/ai-sdk-embedder.ts';
export { aiSdkReranker } from './ai-sdk/ai-sdk-reranker.ts';
export { openaiEmbedder } from './openai/openai-embedder.ts';
export { genaiPrices } from './genai-prices.ts';
export type { Prices } from '../contracts/models/prices.ts';

// Wrappers
export { wrapModel } from './wrap-model.ts';
export { withThinking } from './thinking/with-thinking.ts';
export { withOutputMode } from './schemas/with-output-mode.ts';
export { guardrails } from './guards/guardrails.ts';
export type { Guard } from './guards/guard.ts';

// Calls and answers in plain text
export { withTextTools } from './parsers/with-text-tools.ts';
export { jsonParser } from './parsers/json-parser.ts';
export { reactParser } from './parsers/react-parser.ts';
export { xmlParser } from './parsers/xml-parser.ts';
export type { TextParser } from './parsers/text-parser.ts';

// The contract, for a model of your own
export { modelAnswer } from '../contracts/models/model.ts';
export type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
  ModelSettings,
} from '../contracts/models/model.ts';
export type { Usage } from '../contracts/models/usage.ts';
