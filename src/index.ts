/**
 * Troupe: an actor-model runtime for LLM agents. Every agent is a statechart, every team is one too, and everything that
 * happens is an event.
 */

// Agents
export { agent } from './runtime/define/agent.ts';
export type { EmbeddableAgent } from './runtime/define/face.ts';
export { agentRegistry } from './runtime/define/agent-registry.ts';
export type { AgentRegistry, AnyAgent } from './runtime/define/agent-registry.ts';
export type { Agent, AgentFor, AgentOptions, ReduceView } from './contracts/agents/agent.ts';
export type { AgentView } from './contracts/agents/agent-view.ts';
export type { ModelChoice } from './contracts/models/model.ts';
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

// Decisions
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

// Ends: rules to stop by, and what counts as done
export { allOf, anyOf } from './machines/stopping/composed-rules.ts';
export { maxSteps, maxTime, maxTokens, maxToolCalls, stopWhen } from './machines/stopping/stop-rules.ts';
export { softCap, stagnation } from './machines/stopping/soft-rules.ts';
export type { SoftCapOptions, StagnationOptions } from './machines/stopping/soft-rules.ts';
export type { StopReason } from './contracts/agents/stop-reason.ts';
export type { StopRule, StopView } from './contracts/agents/stop-rule.ts';
export type { Tally } from './contracts/agents/tally.ts';
export { byMarker, byNoToolCalls, byTool } from './machines/endings/endings.ts';
export type { ByToolOptions, EndingRole } from './machines/endings/endings.ts';
export { bySupervisor } from './machines/endings/supervised-ending.ts';
export type { SupervisedOptions } from './machines/endings/supervised-ending.ts';
export { unfinishedPlan, wantsPlan } from './tools/plans/plan-heuristics.ts';
export type {
  Ending,
  EndingVerdict,
  EndingView,
  Heuristic,
  LoopLimits,
  WrapUp,
} from './contracts/agents/ending.ts';

// Tools; environments, documents and what agents say to each other are in `troupe/tools`
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
export type { LaterLimits, RunLimits, RunOptions } from './contracts/runs/run-options.ts';
export type { RunStatus } from './contracts/runs/run-status.ts';
export type { StateChange, StepRecord } from './contracts/runs/step-record.ts';

// Stored runs
export { DeterminismError } from './runtime/journal/replay/determinism-error.ts';
export type { Divergence } from './runtime/journal/replay/determinism-error.ts';
export { compare } from './runtime/journal/replay/compare.ts';
export type { Comparable, Parted, RunComparison, Sides } from './runtime/journal/replay/compare.ts';
export { fork } from './runtime/journal/resume/fork.ts';
export { replay } from './runtime/journal/replay/replay.ts';
export type { Replayed } from './runtime/journal/replay/replay.ts';
export type { RunPoint } from './runtime/journal/resume/run-point.ts';
export { recordsIn } from './runtime/journal/resume/stored-run.ts';
export { resume } from './runtime/journal/resume/resume.ts';
export type {
  ForkChange,
  ForkOptions,
  ReplayOptions,
  ResumeAllOptions,
  ResumeOptions,
  RunOrResumeOptions,
} from './runtime/journal/resume/resume-options.ts';
export { resumeAll } from './runtime/journal/resume/resume-all.ts';
export type { ResumedRuns } from './runtime/journal/resume/resume-all.ts';
export { runOrResume } from './runtime/journal/resume/run-or-resume.ts';
export { answerRequest, openRequests, openRequestsOf } from './runtime/journal/letters/requests.ts';
export type { StoredRequest } from './runtime/journal/letters/requests.ts';
export type { RequestAnswer } from './contracts/people/request.ts';
export { JOURNAL_VERSION } from './contracts/journals/journal-record.ts';
export type {
  Arrival,
  Arrived,
  Began,
  BudgetDrawn,
  ForkPoint,
  Happened,
  JournalRecord,
} from './contracts/journals/journal-record.ts';

// Engines
export { createGlobalEngine } from './runtime/engines/global-engine.ts';
export type { GlobalEngineOptions } from './runtime/engines/global-engine.ts';
export { createRequestEngine } from './runtime/engines/request-engine.ts';
export type { RequestEngineOptions } from './runtime/engines/request-engine.ts';
export { createDisposableEngine } from './runtime/engines/disposable-engine.ts';
export type { Engine, EngineOptions, EngineResource, ShutdownOptions } from './contracts/runs/engine.ts';
export type { ExecutableCall, ToolExecutor } from './contracts/tools/executor.ts';
export type { ProposedCall, SafetyStrategy, SafetyVerdict } from './contracts/tools/safety.ts';
export type { Clock } from './base/clock.ts';

// Budgets
export type {
  Allotment,
  Budget,
  BudgetKind,
  BudgetLine,
  BudgetSpent,
  BudgetUse,
} from './contracts/runs/budget.ts';
export type { SubtreeLimits, TreeLimit, TreeLimits } from './contracts/runs/tree-limits.ts';

// What runs share
export { circuitBreaker } from './runtime/resources/circuit-breaker.ts';
export type {
  BreakerOptions,
  BreakerPass,
  BreakerState,
  CircuitBreaker,
} from './runtime/resources/circuit-breaker.ts';
export { concurrencyPool } from './runtime/resources/concurrency-pool.ts';
export type { ConcurrencyPool, PoolSlot, PoolOptions } from './runtime/resources/concurrency-pool.ts';
export type { HeldLock, LockOptions, LockTimes } from './runtime/resources/held-lock.ts';
export { locks } from './runtime/resources/locks.ts';
export type { Locks, LocksOptions } from './runtime/resources/locks.ts';
export type { LockSnapshot } from './runtime/resources/named-lock.ts';
export { perProvider } from './runtime/resources/per-provider.ts';
export type {
  PerProvider,
  PerProviderOptions,
  ProviderLimits,
  ProviderResources,
} from './runtime/resources/per-provider.ts';
export { providerHealth } from './runtime/resources/provider-health.ts';
export type {
  HealthOptions,
  HealthSnapshot,
  HealthStatus,
  ProviderHealth,
} from './runtime/resources/provider-health.ts';
export { rateLimit } from './runtime/resources/rate-limit.ts';
export type { RateGrant, RateLimit, RateLimitOptions, RateRequest } from './runtime/resources/rate-limit.ts';
export type { ResourceOptions } from './runtime/resources/resource-options.ts';
export { shared } from './runtime/resources/shared-model.ts';
export type { SharedBy } from './runtime/resources/entrance.ts';
export { sharedTool } from './runtime/resources/shared-tool.ts';
export type { WaitOptions } from './runtime/resources/waiting-line.ts';

// Failures
export { errorCodes } from './contracts/errors/error-data.ts';
export type { ErrorCause, ErrorCode, ErrorData, Retryable } from './contracts/errors/error-data.ts';
export { isTroupeError, TroupeError } from './contracts/errors/error.ts';
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
export type {
  BackOff,
  Directive,
  FailureClass,
  MemberPolicy,
  RestartKind,
  RestartStrategy,
  SupervisionPolicy,
} from './contracts/agents/supervision.ts';

// Events
export { EVENT_VERSION, runtimeEventSchema } from './contracts/events/event.ts';
export type {
  DeltaEvent,
  EventOf,
  EventType,
  Hook,
  HookScope,
  LiveEvent,
  RuntimeEvent,
} from './contracts/events/event.ts';
export { hook } from './events/hooks/hooks.ts';
export { ofType, text$, totals$, under } from './events/stream/select.ts';
export type { SpokenText } from './events/stream/select.ts';
export { activity$ } from './events/progress/activities.ts';
export { activityOf } from './events/progress/activity.ts';
export type { Activity } from './events/progress/activity.ts';
export { working$ } from './events/progress/working.ts';
export type { Working } from './events/progress/working.ts';
export { typing$ } from './events/progress/typing.ts';
export type { Typing, TypingOptions } from './events/progress/typing.ts';
export { parseEvent, serialiseEvent } from './events/parse-event.ts';
export { printable } from './base/text/printable.ts';
export { around, through } from './events/stream/middleware.ts';
export type { AroundEvent, EventMiddleware } from './events/stream/middleware.ts';
export { multiplex } from './events/stream/multiplex.ts';
export type { Consumer, ConsumerStats, Multiplexed, MultiplexOptions } from './events/stream/multiplex.ts';
export { buffered } from './events/stream/buffered.ts';
export type { Buffered } from './events/stream/buffered.ts';
export type { BufferOptions, EventOverflow } from './events/stream/overflow-buffer.ts';

// Messages and conversations
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
export { HistoryView } from './base/collections/history.ts';
export type { History } from './base/collections/history.ts';
export type {
  AssistantTurn,
  Replay,
  ToolTurn,
  Transcript,
  Turn,
  UserTurn,
} from './contracts/conversations/transcript.ts';

// In XState: logic, machines, diagrams
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
export { agentMachine } from './machines/agent/agent-machine.ts';
export { modelCallMachine } from './machines/model-call/model-call-machine.ts';
export { toolCallMachine } from './machines/tool-call/tool-call-machine.ts';
export { toMermaid } from './machines/diagrams/diagram.ts';
export type { DiagramOptions } from './machines/diagrams/diagram.ts';
export { assertMachine, checkMachine } from './machines/check-machine.ts';
export { safeInspector } from './runtime/inspection/safe-inspector.ts';

// Words that the others are made of
export type { Json, JsonObject, JsonSchema } from './base/json/json.ts';
export type { Checked, InputOf, OutputOf, Schema, SchemaIssue } from './base/schemas/schema.ts';
