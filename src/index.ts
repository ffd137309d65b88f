/**
 * Troupe: an actor-model runtime for LLM agents. Every agent is a statechart, every team is one too, and everything that
 * happens is an event.
 */

// Agents
export { agent } from './runtime/agent.ts';
export type { EmbeddableAgent } from './runtime/face.ts';
export type { AgentLogic, AgentSnapshot } from './runtime/embedded-logic.ts';
export type { Agent, AgentFor, AgentOptions, AgentView, ModelChoice, ReduceView } from './contracts/agent.ts';
export { act, answer, decisionSchema, handoff, wait } from './contracts/decision.ts';
export type {
  ActDecision,
  AnswerDecision,
  ChosenCall,
  Decision,
  HandoffDecision,
  WaitDecision,
} from './contracts/decision.ts';
export type { Critic, Critique, Review } from './contracts/critique.ts';

// Runs
export type {
  ApprovalRequest,
  EffectRecord,
  Outcome,
  Person,
  RunHandle,
  RunOptions,
  RunResult,
  RunStatus,
  RunTotals,
  StateChange,
  StepRecord,
} from './contracts/run.ts';
export type { StopReason, StopRule, StopView, Tally } from './contracts/stop.ts';
export { allOf, anyOf, maxSteps, maxTime, maxTokens, maxToolCalls, stopWhen } from './machines/stop-rules.ts';
export type { Engine, EngineResource } from './contracts/engine.ts';

// Tools
export { tool } from './tools/define-tool.ts';
export type { DefinedTool, ToolOptions } from './tools/define-tool.ts';
export { toolset } from './tools/compose.ts';
export { dual } from './tools/tool-result.ts';
export type {
  Artifact,
  Control,
  DualResult,
  Safety,
  Tool,
  ToolCall,
  ToolContext,
  ToolErrorKind,
  ToolFacts,
  ToolFailure,
  ToolResult,
  ToolRetry,
  ToolSpec,
  ToolSuccess,
  Toolset,
} from './contracts/tool.ts';

// Models
export { modelAnswer } from './contracts/model.ts';
export type {
  FinishReason,
  Model,
  ModelAnswer,
  ModelCall,
  ModelDelta,
  ModelRequest,
  ModelRetry,
  ModelSettings,
  OutputSpec,
  ToolChoice,
  Usage,
} from './contracts/model.ts';
export type { AssistantTurn, Replay, ToolTurn, Transcript, Turn, UserTurn } from './contracts/transcript.ts';
export { modelFromEnvironment, resolveModel } from './models/model-registry.ts';
export { openai } from './models/openai.ts';
export { openaiChat } from './models/openai-chat.ts';
export { anthropic } from './models/anthropic.ts';

// Events
export { EVENT_VERSION, runtimeEventSchema } from './contracts/event.ts';
export type { DeltaEvent, EventOf, EventType, Hook, LiveEvent, RuntimeEvent } from './contracts/event.ts';

// Errors
export { errorCodes, isTroupeError, TroupeError } from './contracts/error.ts';
export type { ErrorCode, ErrorData, Retryable } from './contracts/error.ts';

// Machines
export { agentMachine } from './machines/agent-machine.ts';
export { modelCallMachine } from './machines/model-call-machine.ts';
export { toolCallMachine } from './machines/tool-call-machine.ts';
export { toMermaid } from './machines/diagram.ts';

// Words that the others are made of
export { HistoryView } from './contracts/history.ts';
export type { History } from './contracts/history.ts';
export type { Json, JsonObject, JsonSchema } from './contracts/json.ts';
export type { Message } from './contracts/message.ts';
export type { Checked, InputOf, OutputOf, Schema, SchemaIssue } from './contracts/schema.ts';
export type { Clock } from './contracts/clock.ts';
