/**
 * Names of the OpenTelemetry conventions for generative AI (open-telemetry/semantic-conventions-genai, status "Development"). Written
 * out, as the packages that have them mark them as deprecated.
 */
export const attribute = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  agentName: 'gen_ai.agent.name',
  agentId: 'gen_ai.agent.id',
  workflowName: 'gen_ai.workflow.name',
  conversation: 'gen_ai.conversation.id',
  requestModel: 'gen_ai.request.model',
  temperature: 'gen_ai.request.temperature',
  topP: 'gen_ai.request.top_p',
  topK: 'gen_ai.request.top_k',
  maxTokens: 'gen_ai.request.max_tokens',
  stopSequences: 'gen_ai.request.stop_sequences',
  seed: 'gen_ai.request.seed',
  presencePenalty: 'gen_ai.request.presence_penalty',
  frequencyPenalty: 'gen_ai.request.frequency_penalty',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  firstChunk: 'gen_ai.response.time_to_first_chunk',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedTokens: 'gen_ai.usage.cache_read.input_tokens',
  storedTokens: 'gen_ai.usage.cache_creation.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  systemInstructions: 'gen_ai.system_instructions',
  toolDefinitions: 'gen_ai.tool.definitions',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCall: 'gen_ai.tool.call.id',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  tokenType: 'gen_ai.token.type',
  errorType: 'error.type',
} as const;

/** Attributes of our own, where the conventions have none. */
export const own = {
  runId: 'troupe.run.id',
  path: 'troupe.path',
  step: 'troupe.step',
  phase: 'troupe.phase',
  attempt: 'troupe.attempt',
  status: 'troupe.status',
  stopReason: 'troupe.stop_reason',
  unfinished: 'troupe.unfinished',
  costUsd: 'troupe.cost_usd',
  estimated: 'troupe.usage.estimated',
  repeated: 'troupe.repeated',
  cached: 'troupe.tool.cached',
  link: 'troupe.link',
} as const;

/** Provider of a model without one. */
export const OWN_PROVIDER = 'troupe';

/** Buckets that the conventions ask for; in seconds, or tokens. */
export const buckets = {
  call: [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
  tokens: [
    1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864,
  ],
  agent: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  workflow: [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200],
};

/** Splits a model into its provider and its name: troupe writes both as one, `openai:gpt-4o`. */
export const modelNames = (model: string): { readonly provider: string; readonly id: string } => {
  const colon = model.indexOf(':');
  return colon < 1
    ? { provider: OWN_PROVIDER, id: model }
    : { provider: model.slice(0, colon), id: model.slice(colon + 1) };
};

const finishNames: Readonly<Record<string, string>> = {
  'tool-calls': 'tool_call',
  'content-filter': 'content_filter',
};

/** Maps a finish reason to the conventions. */
export const finishName = (finish: string): string => finishNames[finish] ?? finish;
