/** Models answer prompts: their providers, prices, wrappers, and parsers for those without tool calls. */

// Providers
export { modelFromEnvironment, resolveModel } from './model-registry.ts';
export { openai } from './openai/openai.ts';
export type { OpenAIOptions } from './openai/openai.ts';
export { openaiChat } from './openai/openai-chat.ts';
export type { OpenAIChatOptions } from './openai/openai-chat.ts';
export { chatProfiles } from './openai/chat-profiles.ts';
export type { ChatProfileName } from './openai/chat-profiles.ts';
export type { ChatFinish, ChatOutputForm, ChatProfile } from './openai/chat-profile.ts';
export { anthropic } from './anthropic/anthropic.ts';
export type { ProviderOptions } from './wire/provider-options.ts';
export { lazyOfflineModel as offlineModel } from './offline/lazy-offline-model.ts';
export { openaiEmbedder } from './openai/openai-embedder.ts';
export type { OpenAIEmbedderOptions } from './openai/openai-embedder.ts';
export { genaiPrices } from './genai-prices.ts';
export type { Prices } from '../contracts/models/prices.ts';

// Wrappers
export { wrapModel } from './wrap-model.ts';
export { withThinking } from './thinking/with-thinking.ts';
export { thinkingParser } from './thinking/thinking.ts';
export type { ThinkingBlock, ThinkingOptions, ThinkingParser, ThinkingPiece } from './thinking/thinking.ts';

// Calls and answers in plain text
export { withTextTools } from './parsers/with-text-tools.ts';
export type { TextToolsOptions } from './parsers/with-text-tools.ts';
export { jsonParser } from './parsers/json-parser.ts';
export { reactParser } from './parsers/react-parser.ts';
export { xmlParser } from './parsers/xml-parser.ts';
export type {
  LessonOptions,
  ReadingOptions,
  TextCall,
  TextParser,
  TextReading,
} from './parsers/text-parser.ts';
export { looseJson } from './parsers/loose-json.ts';
export type { LooseJson } from './parsers/loose-json.ts';

// The contract, for a model of your own
export { modelAnswer } from '../contracts/models/model.ts';
export type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
  ModelRetry,
  ModelSettings,
  OutputSpec,
  ToolChoice,
  FinishReason,
} from '../contracts/models/model.ts';
export type { Usage } from '../contracts/models/usage.ts';
export type { AdaptiveRetry } from '../contracts/models/adaptive-retry.ts';
