/**
 * Troupe: an actor-model runtime for LLM agents. Every agent is a statechart, every team is one too, and everything that
 * happens is an event.
 */

// Agents
export { agent } from './runtime/define/agent.ts';
export type { EmbeddableAgent } from './runtime/define/face.ts';
export { agentRegistry } from './runtime/define/agent-registry.ts';
export type { AgentRegistry, AnyAgent } from './runtime/define/agent-registry.ts';
export type { AgentCommand } from './runtime/embed/agent-command.ts';
export type {
  AgentChart,
  AgentLogic,
  AgentSnapshot,
  AgentValue,
  LogicChart,
  MemberChart,
  MemberRef,
  TeamChart,
} from './runtime/embed/agent-types.ts';
export type { LogicOptions } from './runtime/embed/logic-options.ts';
export { eventsOf } from './runtime/embed/events-of.ts';
export type { EventsOfOptions } from './runtime/embed/events-of.ts';
export type { Agent, AgentFor, AgentOptions, ReduceView } from './contracts/agents/agent.ts';
export type { AgentView } from './contracts/agents/agent-view.ts';
export type {
  ModelChoice,
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
} from './contracts/models/model.ts';
export { act, answer, branch, decisionSchema, handoff, wait } from './contracts/agents/decision.ts';
export type {
  ActDecision,
  AnswerDecision,
  BranchDecision,
  BranchTaken,
  Candidate,
  ChosenCall,
  Decision,
  HandoffDecision,
  TakenDecision,
  WaitDecision,
} from './contracts/agents/decision.ts';
export type { Critic, Review } from './contracts/agents/critic.ts';
export type { Critique, CritiquePatch, SaidCritique } from './contracts/agents/critique.ts';
export { fieldList, signature } from './tools/signatures/signature.ts';
export type {
  Described,
  FieldListSchema,
  FieldType,
  InputSchemaOf,
  OutputSchemaOf,
  Signature,
  SignatureField,
  SignatureFields,
  SignatureInput,
  SignatureInputSchema,
  SignatureOutput,
  SignatureOutputSchema,
  ValidDescription,
  ValidFieldList,
  ValidSignature,
} from './contracts/agents/signature.ts';
export type {
  AnswerForm,
  Choice,
  DecisionDesk,
  DecisionReview,
  EnginePlace,
  Strategy,
  StrategyChoice,
} from './contracts/agents/strategy.ts';
export {
  agentsFragment,
  projectFragment,
  promptOrder,
  toolsFragment,
} from './actors/deciding/prompt-fragments.ts';
export type {
  PromptFacts,
  PromptFragment,
  RunFragment,
  StepFacts,
  StepFragment,
} from './contracts/agents/prompt.ts';

// Runs
export type {
  ApprovalRequest,
  OpenRequest,
  QuestionRequest,
  RequestKind,
  RequestOptions,
} from './contracts/people/request.ts';
export type { EffectRecord, RunResult, RunTotals } from './contracts/runs/run-result.ts';
export type { Outcome } from './contracts/runs/outcome.ts';
export type { Person } from './contracts/people/person.ts';
export type { RunHandle } from './contracts/runs/run-handle.ts';
export type { RunOptions } from './contracts/runs/run-options.ts';
export type { RunStatus } from './contracts/runs/run-status.ts';
export type { StateChange, StepRecord } from './contracts/runs/step-record.ts';
export type { StopReason } from './contracts/agents/stop-reason.ts';
export type { StopRule, StopView } from './contracts/agents/stop-rule.ts';
export type { Tally } from './contracts/agents/tally.ts';
export type {
  Ending,
  EndingVerdict,
  EndingView,
  Heuristic,
  LoopLimits,
  WrapUp,
} from './contracts/agents/ending.ts';
export { allOf, anyOf } from './machines/stopping/composed-rules.ts';
export { maxSteps, maxTime, maxTokens, maxToolCalls, stopWhen } from './machines/stopping/stop-rules.ts';

// Budgets and prices
export type {
  Allotment,
  Budget,
  BudgetKind,
  BudgetLine,
  BudgetSpent,
  BudgetUse,
} from './contracts/runs/budget.ts';
export type { SubtreeLimits, TreeLimit, TreeLimits } from './contracts/runs/tree-limits.ts';
export type { Prices } from './contracts/models/prices.ts';
export { genaiPrices } from './models/genai-prices.ts';

// Teams
export { pipeline } from './patterns/pipeline.ts';
export { supervisorWorker } from './patterns/supervisor-worker.ts';
export type {
  OnStageError,
  PipelineSetup,
  PipelineStage,
  StageOptions,
  PipelineState,
  StageFailure,
} from './patterns/pipeline.ts';
export type { Role, RoleOptions } from './patterns/setup/role-of.ts';
export type { Skilled } from './patterns/skilled.ts';
export type { SupervisorWorkerSetup } from './patterns/supervisor-worker.ts';
export type { SupervisorWorkerState, Verdict, WorkerReply } from './patterns/state/supervisor-context.ts';
export { team } from './runtime/define/team.ts';
export type { Member, TeamOptions, TeamSetup } from './runtime/define/team.ts';
export type { FlowArrow } from './machines/diagrams/composition.ts';
export { awaiting, emitEvent, setupTeam, teamArrows, teamEnds } from './coordination/round/setup-team.ts';
export { repliesOf, spentEnd, teamContext, teamOutcome } from './coordination/round/team-context.ts';
export { beginRound } from './coordination/round/settle-reply.ts';
export type { Reply, Round, RoundOptions, Task } from './coordination/round/round.ts';
export type { TeamContext, TeamEnd, TeamEvent, TeamInput } from './coordination/round/team-context.ts';
export type {
  BackOff,
  Directive,
  FailureClass,
  MemberPolicy,
  RestartKind,
  RestartStrategy,
  SupervisionPolicy,
} from './contracts/agents/supervision.ts';

// Engines
export { createGlobalEngine } from './runtime/engines/global-engine.ts';
export type { GlobalEngineOptions } from './runtime/engines/global-engine.ts';
export { createRequestEngine } from './runtime/engines/request-engine.ts';
export type { RequestEngineOptions } from './runtime/engines/request-engine.ts';
export { createDisposableEngine } from './runtime/engines/disposable-engine.ts';
export type {
  EntryChange,
  JournalCommit,
  JournalRow,
  JournalStore,
  Lease,
  LeaseWish,
  Letter,
  RunEntry,
  RunQuery,
  Stored,
  StoredStatus,
  StoreIdentity,
} from './contracts/journals/journal.ts';
export type { Engine, EngineOptions, EngineResource, ShutdownOptions } from './contracts/runs/engine.ts';
export type { ExecutableCall, ToolExecutor } from './contracts/tools/executor.ts';
export type { ProposedCall, SafetyStrategy, SafetyVerdict } from './contracts/tools/safety.ts';

// Tools
export { tool } from './tools/define/define-tool.ts';
export type { DefinedTool } from './tools/define/define-tool.ts';
export type { ToolOptions } from './tools/define/tool-options.ts';
export { jsonSchema } from './tools/schemas/json-schema.ts';
export type { JsonSchemaOf } from './tools/schemas/json-schema.ts';
export { toolset } from './tools/wrappers/compose.ts';
export { dual, failed } from './tools/calls/tool-result.ts';
export { askPerson } from './tools/built-in/ask-person.ts';
export { calculator } from './tools/built-in/calculator.ts';
export { clock } from './tools/built-in/clock.ts';
export { complete } from './tools/built-in/ending/complete.ts';
export { endConversation } from './tools/built-in/ending/end-conversation.ts';
export type { EndConversationOptions } from './tools/built-in/ending/end-conversation.ts';
export { respond } from './tools/built-in/ending/respond.ts';
export { handoffTool } from './tools/built-in/delegation/handoff.ts';
export { delegate } from './tools/built-in/delegation/delegate.ts';
export type { DelegateOptions, DelegationBegun } from './tools/built-in/delegation/delegate.ts';
export { fanOut } from './tools/built-in/delegation/fan-out.ts';
export type { FannedOut, FanOutOptions } from './tools/built-in/delegation/fan-out.ts';
export { awaitDelegates, callOffDelegate } from './tools/built-in/delegation/delegation-controls.ts';
export type { Delegated, ReceiverOptions } from './tools/built-in/delegation/receivers.ts';
export type { GivingView, Sees } from './tools/built-in/delegation/seen-conversation.ts';
export type { BeforeEnd, ChildOptions, ChildTerms, Delegation } from './contracts/tools/delegation.ts';
export { plan } from './tools/built-in/plan/plan.ts';
export { planGate, planned } from './tools/built-in/plan/plan-gate.ts';
export type { Planned, PlannedOptions } from './tools/built-in/plan/plan-gate.ts';
export { markStep, nextStep, planIn, planSchema, planStatus, withPlan } from './tools/plans/plan-state.ts';
export type { Plan, PlanStatus, PlanStep } from './tools/plans/plan-state.ts';
export { phaseOfWork } from './tools/calls/phase-of-work.ts';
export { pipeTools } from './tools/wrappers/pipe-tools.ts';
export type { PipeOptions } from './tools/wrappers/pipe-tools.ts';
export { intercepted } from './tools/wrappers/interceptors.ts';
export type { BeforeCall, CallInterceptor, CallOutcome } from './tools/wrappers/interceptors.ts';
export { documentsFrom } from './tools/built-in/documents/documents-from.ts';
export type { Documents, DocumentsReport, SkippedFile } from './tools/built-in/documents/documents-from.ts';
export type {
  Artifact,
  Control,
  DualResult,
  ToolErrorKind,
  ToolFailure,
  ToolResult,
  ToolSuccess,
} from './contracts/tools/tool-result.ts';
export type {
  Became,
  Safety,
  Tool,
  ToolContext,
  ToolFacts,
  ToolRetry,
  Toolset,
} from './contracts/tools/tool.ts';
export type { CallOrigin, ToolCall, ToolSpec } from './contracts/tools/tool-call.ts';

// Environments and tasks
export type {
  Environment,
  EnvironmentAction,
  EnvironmentHealth,
  EnvironmentScope,
  OpsContext,
} from './contracts/environments/environment.ts';
export type {
  EnvironmentOps,
  FileEntry,
  FileFacts,
  FileKind,
  FileOps,
  FileText,
  FileWritten,
  HttpOps,
  HttpRequest,
  HttpResponse,
  OpsGroup,
  OpsHolder,
  ProcessOps,
  ProcessOptions,
  ProcessResult,
  ReadOptions,
} from './contracts/environments/operations.ts';
export type { EnvironmentOutcome, EnvironmentStep } from './contracts/environments/environment-step.ts';
export type { EnvironmentSpec } from './contracts/environments/environment-spec.ts';
export { taskSchema } from './contracts/tasks/task.ts';
export type {
  IssueCode,
  PreflightIssue,
  SuccessCriterion,
  Task as TaskDescription,
  TaskBudget,
  TaskInput,
  TaskResource,
} from './contracts/tasks/task.ts';

// Evaluation of finished runs
export { combined, evaluate, evaluateAll, evaluateTask, metricsOf } from './runtime/evaluate/evaluate.ts';
export type { TaskEvaluation } from './runtime/evaluate/evaluate.ts';
export { contains, exact, fits, matches, passPower } from './runtime/evaluate/evaluators.ts';
export { judgedBy } from './runtime/evaluate/judged-by.ts';
export type { JudgeOptions } from './runtime/evaluate/judged-by.ts';
export { summariseRuns } from './runtime/evaluate/summarise-runs.ts';
export type { RunSummary } from './runtime/evaluate/summarise-runs.ts';
export type {
  Combination,
  CombinedEvaluation,
  Evaluation,
  Evaluator,
  Examined,
  Judgement,
  RunMetrics,
  TaskResult,
} from './contracts/tasks/evaluator.ts';

// Models
export { modelAnswer } from './contracts/models/model.ts';
export type { AdaptiveRetry } from './contracts/models/adaptive-retry.ts';
export type { Usage } from './contracts/models/usage.ts';
export type {
  AssistantTurn,
  Replay,
  ToolTurn,
  Transcript,
  Turn,
  UserTurn,
} from './contracts/conversations/transcript.ts';
export { modelFromEnvironment, resolveModel } from './models/model-registry.ts';
export { openai } from './models/openai/openai.ts';
export { openaiChat } from './models/openai/openai-chat.ts';
export { anthropic } from './models/anthropic/anthropic.ts';
export { lazyOfflineModel as offlineModel } from './models/offline/lazy-offline-model.ts';
export { wrapModel } from './models/wrap-model.ts';
export { thinkingParser } from './models/thinking/thinking.ts';
export type {
  ThinkingBlock,
  ThinkingOptions,
  ThinkingParser,
  ThinkingPiece,
} from './models/thinking/thinking.ts';
export { openaiEmbedder } from './models/openai/openai-embedder.ts';
export type { OpenAIEmbedderOptions } from './models/openai/openai-embedder.ts';
export type { OpenAIOptions } from './models/openai/openai.ts';
export type { OpenAIChatOptions } from './models/openai/openai-chat.ts';
export { chatProfiles } from './models/openai/chat-profiles.ts';
export type { ChatProfileName } from './models/openai/chat-profiles.ts';
export type { ChatFinish, ChatOutputForm, ChatProfile } from './models/openai/chat-profile.ts';
export type { ProviderOptions } from './models/wire/provider-options.ts';

// Events
export { EVENT_VERSION, runtimeEventSchema } from './contracts/events/event.ts';
export { hook } from './events/hooks/hooks.ts';
export { ofType, text$, totals$, under } from './events/stream/select.ts';
export type { SpokenText } from './events/stream/select.ts';
export { activity$ } from './events/progress/activities.ts';
export { activityOf } from './events/progress/activity.ts';
export type { Activity } from './events/progress/activity.ts';
export { working$ } from './events/progress/working.ts';
export type { Working } from './events/progress/working.ts';
export { parseEvent, serialiseEvent } from './events/parse-event.ts';
export { printable } from './base/text/printable.ts';
export type {
  DeltaEvent,
  EventOf,
  EventType,
  Hook,
  HookScope,
  LiveEvent,
  RuntimeEvent,
} from './contracts/events/event.ts';

// Errors
export { errorCodes } from './contracts/errors/error-data.ts';
export { isTroupeError, TroupeError } from './contracts/errors/error.ts';
export type { ErrorCause, ErrorCode, ErrorData, Retryable } from './contracts/errors/error-data.ts';
export { categoryOf } from './contracts/errors/error-category.ts';
export type { ErrorCategory } from './contracts/errors/error-category.ts';
export type { LogEntry, LogSink } from './contracts/events/log.ts';
export { adviceOn } from './contracts/errors/error-advice.ts';
export type {
  Failure,
  FailureEntry,
  FailureReport,
  RecoverablePhase,
  RecoveryDecision,
  RecoveryPolicy,
} from './contracts/agents/recovery.ts';

// Machines
export { agentMachine } from './machines/agent/agent-machine.ts';
export { modelCallMachine } from './machines/model-call/model-call-machine.ts';
export { toolCallMachine } from './machines/tool-call/tool-call-machine.ts';
export { toMermaid } from './machines/diagrams/diagram.ts';
export type { DiagramOptions } from './machines/diagrams/diagram.ts';
export { assertMachine, checkMachine } from './machines/check-machine.ts';
export { safeInspector } from './runtime/inspection/safe-inspector.ts';

// Memory; its kinds, and what of a conversation a model is shown, are in `troupe/memory`
export type {
  Embedder,
  KeyValueFiles,
  Memory,
  MemoryBlock,
  MemoryKind,
  MemoryPlace,
  MemoryRecord,
  MemoryScope,
  RecallPolicy,
  MemorySource,
  VectorIndex,
} from './contracts/conversations/memory.ts';

// Words that the others are made of
export { HistoryView } from './base/collections/history.ts';
export type { History } from './base/collections/history.ts';
export type { Json, JsonObject, JsonSchema } from './base/json/json.ts';
export { dropReasons, messagePriorities } from './contracts/messages/message.ts';
export type {
  AgentMailbox,
  Answer,
  AskOptions,
  DeadLetter,
  DropReason,
  MailboxOptions,
  Message,
  MessageKind,
  MessageLimits,
  MessagePriority,
  Messenger,
  Overflow,
  TellOptions,
  Terminated,
} from './contracts/messages/message.ts';
export type { Checked, InputOf, OutputOf, Schema, SchemaIssue } from './base/schemas/schema.ts';
export type { Clock } from './base/clock.ts';
