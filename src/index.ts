/**
 * Troupe: an actor-model runtime for LLM agents. Every agent is a statechart, every team is one too, and everything that
 * happens is an event.
 */

// Agents
export { agent } from './runtime/agent.ts';
export type { EmbeddableAgent } from './runtime/face.ts';
export type { AgentCommand, AgentLogic, AgentSnapshot } from './runtime/embedded-logic.ts';
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

// Teams
export { pipeline, supervisorWorker } from './runtime/patterns.ts';
export type {
  PipelineSetup,
  PipelineStage,
  SupervisorOptions,
  SupervisorWorkerSetup,
} from './runtime/patterns.ts';
export type { WorkerReply } from './coordination/supervisor-worker.ts';
export { team } from './runtime/team.ts';
export type { Member, TeamOptions } from './runtime/team.ts';
export { setupTeam, teamArrows, teamEnds } from './coordination/setup-team.ts';
export { newRound, repliesOf, teamContext, teamOutcome } from './coordination/team-context.ts';
export type {
  Reply,
  Round,
  Task,
  TeamContext,
  TeamEnd,
  TeamEvent,
  TeamInput,
} from './coordination/team-context.ts';

// Engines
export { createGlobalEngine } from './runtime/global-engine.ts';
export type { GlobalEngineOptions } from './runtime/global-engine.ts';
export { createRequestEngine } from './runtime/request-engine.ts';
export type { RequestEngineOptions } from './runtime/request-engine.ts';
export { createDisposableEngine } from './runtime/disposable-engine.ts';
export type { Engine, EngineOptions, EngineResource, ShutdownOptions } from './contracts/engine.ts';
export type { ProposedCall, SafetyStrategy, SafetyVerdict } from './contracts/safety.ts';

// Tools
export { tool } from './tools/define-tool.ts';
export type { DefinedTool, ToolOptions } from './tools/define-tool.ts';
export { toolset } from './tools/compose.ts';
export { dual } from './tools/tool-result.ts';
export { askPerson } from './tools/built-in/ask-person.ts';
export { calculator } from './tools/built-in/calculator.ts';
export { clock } from './tools/built-in/clock.ts';
export { complete } from './tools/built-in/complete.ts';
export { documentsFrom } from './tools/built-in/documents-from.ts';
export type { Documents, DocumentsReport, SkippedFile } from './tools/built-in/documents-from.ts';
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
export { lazyOfflineModel as offlineModel } from './models/lazy-offline-model.ts';
export type { OpenAIOptions } from './models/openai.ts';
export type { OpenAIChatOptions } from './models/openai-chat.ts';
export type { ProviderOptions } from './models/provider-options.ts';

// Events
export { EVENT_VERSION, runtimeEventSchema } from './contracts/event.ts';
export { hook } from './events/hooks.ts';
export { ofType, text$, totals$, under } from './events/select.ts';
export type { SpokenText } from './events/select.ts';
export { activity$, activityOf } from './events/activity.ts';
export type { Activity } from './events/activity.ts';
export { parseEvent, serialiseEvent } from './events/parse-event.ts';
export { printable } from './events/printable.ts';
export type {
  DeltaEvent,
  EventOf,
  EventType,
  Hook,
  HookScope,
  LiveEvent,
  RuntimeEvent,
} from './contracts/event.ts';

// Errors
export { errorCodes, isTroupeError, TroupeError } from './contracts/error.ts';
export type { ErrorCode, ErrorData, Retryable } from './contracts/error.ts';

// Machines
export { agentMachine } from './machines/agent-machine.ts';
export { modelCallMachine } from './machines/model-call-machine.ts';
export { toolCallMachine } from './machines/tool-call-machine.ts';
export { toMermaid } from './machines/diagram.ts';
export type { DiagramOptions } from './machines/diagram.ts';
export { assertMachine, checkMachine } from './machines/check-machine.ts';
export { safeInspector } from './runtime/live-host.ts';

// Words that the others are made of
export { HistoryView } from './contracts/history.ts';
export type { History } from './contracts/history.ts';
export type { Json, JsonObject, JsonSchema } from './contracts/json.ts';
export type { Message } from './contracts/message.ts';
export type { Checked, InputOf, OutputOf, Schema, SchemaIssue } from './contracts/schema.ts';
export type { Clock } from './contracts/clock.ts';
