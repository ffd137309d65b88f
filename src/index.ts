/**
 * Troupe: an actor-model runtime for LLM agents. Every agent is a statechart, every team is one too, and everything that
 * happens is an event.
 */

// Agents
export { agent } from './runtime/define/agent.ts';
export type { EmbeddableAgent } from './runtime/define/embeddable-agent.ts';
export { agentRegistry } from './runtime/define/agent-registry.ts';
export type { Agent, AgentOptions } from './contracts/agents/agent.ts';
export { fieldList, signature } from './tools/signatures/signature.ts';
export { promptFragments, promptOrder } from './actors/deciding/prompt-fragments.ts';

// Decisions
export { act, answer, branch, handoff, wait } from './contracts/agents/decision.ts';
export type { Decision } from './contracts/agents/decision.ts';

// Ends: rules to stop by, and what counts as done
export { allOf, anyOf } from './machines/stopping/composed-rules.ts';
export { maxSteps, maxTime, maxTokens, maxToolCalls, stopWhen } from './machines/stopping/stop-rules.ts';
export { softCap, stagnation } from './machines/stopping/soft-rules.ts';
export type { StopReason } from './contracts/agents/stop-reason.ts';
export type { StopRule } from './contracts/agents/stop-rule.ts';
export { byMarker, byNoToolCalls, byTool } from './machines/endings/endings.ts';
export { bySupervisor } from './machines/endings/supervised-ending.ts';
export { unfinishedPlan, wantsPlan } from './tools/plans/plan-heuristics.ts';
export type { Ending } from './contracts/agents/ending.ts';

// Tools; environments, documents and what agents say to each other are in `troupe/tools`
export { tool } from './tools/define/define-tool.ts';
export type { DefinedTool } from './tools/define/define-tool.ts';
export { jsonSchema } from './tools/schemas/json-schema.ts';
export { toolset } from './tools/wrappers/compose.ts';
export { dual, failed } from './tools/calls/tool-result.ts';
export { askPerson } from './tools/built-in/ask-person.ts';
export { calculator } from './tools/built-in/calculator.ts';
export { clock } from './tools/built-in/clock.ts';
export { complete } from './tools/built-in/ending/complete.ts';
export { endConversation } from './tools/built-in/ending/end-conversation.ts';
export { respond } from './tools/built-in/ending/respond.ts';
export { handoffTool } from './tools/built-in/delegation/handoff.ts';
export { delegate } from './tools/built-in/delegation/delegate.ts';
export { fanOut } from './tools/built-in/delegation/fan-out.ts';
export { awaitDelegates, callOffDelegate } from './tools/built-in/delegation/delegation-controls.ts';
export { codeTool } from './runtime/programs/code-tool.ts';
export { plan } from './tools/built-in/plan/plan.ts';
export { planGate, planned } from './tools/built-in/plan/plan-gate.ts';
export { markStep, nextStep, planIn, planStatus, withPlan } from './tools/plans/plan-state.ts';
export { phaseOfWork } from './tools/calls/phase-of-work.ts';
export { pipeTools } from './tools/wrappers/pipe-tools.ts';
export { intercepted } from './tools/wrappers/interceptors.ts';
export { documentsFrom } from './tools/built-in/documents/documents-from.ts';
export type { ToolResult } from './contracts/tools/tool-result.ts';
export type { Tool, ToolContext, Toolset } from './contracts/tools/tool.ts';
export type { ToolCall } from './contracts/tools/tool-call.ts';

// Runs
export type { ApprovalRequest, OpenRequest } from './contracts/people/request.ts';
export type { RunResult } from './contracts/runs/run-result.ts';
export type { RunTotals } from './contracts/runs/run-totals.ts';
export type { Outcome } from './contracts/runs/outcome.ts';
export type { Person } from './contracts/people/person.ts';
export type { RunHandle } from './contracts/runs/run-handle.ts';
export type { RunOptions } from './contracts/runs/run-options.ts';
export type { RunStatus } from './contracts/runs/run-status.ts';

// Stored runs
export { DeterminismError } from './runtime/journal/replay/determinism-error.ts';
export { compare } from './runtime/journal/replay/compare.ts';
export { fork } from './runtime/journal/resume/fork.ts';
export { replay } from './runtime/journal/replay/replay.ts';
export { resume } from './runtime/journal/resume/resume.ts';
export { resumeAll } from './runtime/journal/resume/resume-all.ts';
export { runOrResume } from './runtime/journal/resume/run-or-resume.ts';
export { answerRequest, openRequests } from './runtime/journal/letters/requests.ts';

// Schedules, heartbeats, queues and webhooks
export { schedules } from './runtime/schedules/schedules.ts';
export type { Schedules } from './runtime/schedules/schedule.ts';

// Engines
export { createGlobalEngine } from './runtime/engines/global-engine.ts';
export { createRequestEngine } from './runtime/engines/request-engine.ts';
export { createDisposableEngine } from './runtime/engines/disposable-engine.ts';
export type { Engine } from './contracts/runs/engine.ts';
export type { ToolExecutor } from './contracts/tools/executor.ts';
export type { SafetyStrategy } from './contracts/tools/safety.ts';
export type { Clock } from './base/clock.ts';

// Budgets
export type { Budget } from './contracts/runs/budget.ts';

// What runs share
export { circuitBreaker } from './runtime/resources/circuit-breaker.ts';
export type { CircuitBreaker } from './runtime/resources/circuit-breaker.ts';
export { concurrencyPool } from './runtime/resources/concurrency-pool.ts';
export type { ConcurrencyPool } from './runtime/resources/concurrency-pool.ts';
export { locks } from './runtime/resources/locks.ts';
export type { Locks } from './runtime/resources/locks.ts';
export { perProvider } from './runtime/resources/per-provider.ts';
export { providerHealth } from './runtime/resources/provider-health.ts';
export { rateLimit } from './runtime/resources/rate-limit.ts';
export type { RateLimit } from './runtime/resources/rate-limit.ts';
export { shared } from './runtime/resources/shared-model.ts';
export { sharedTool } from './runtime/resources/shared-tool.ts';

// Failures
export { errorCodes } from './contracts/errors/error-data.ts';
export type { ErrorCode, ErrorData } from './contracts/errors/error-data.ts';
export { isTroupeError, TroupeError } from './contracts/errors/error.ts';
export type { RecoveryPolicy } from './contracts/agents/recovery.ts';
export type { SupervisionPolicy } from './contracts/agents/supervision.ts';

// Events
export { runtimeEventSchema } from './contracts/events/event.ts';
export type { DeltaEvent, EventOf, Hook, LiveEvent, RuntimeEvent } from './contracts/events/event.ts';
export { hook } from './events/hooks/define-hook.ts';
export { ofType, text$, totals$, under } from './events/stream/select.ts';
export { activity$ } from './events/progress/activities.ts';
export { activityOf } from './events/progress/activity.ts';
export type { Activity } from './events/progress/activity.ts';
export { working$ } from './events/progress/working.ts';
export { typing$ } from './events/progress/typing.ts';
export { parseEvent, serialiseEvent } from './events/parse-event.ts';
export { around, through } from './events/stream/middleware.ts';
export { multiplex } from './events/stream/multiplex.ts';
export { buffered } from './events/stream/buffered.ts';

// Messages and conversations
export type { Answer, Message } from './contracts/messages/message.ts';
export type { BlobStore } from './contracts/content/blob-store.ts';
export type { Content, MediaPart, Part } from './contracts/content/part.ts';
export { HistoryView } from './base/collections/history.ts';
export type { AssistantTurn, ToolTurn, Turn, UserTurn } from './contracts/conversations/transcript.ts';

// In XState: logic, machines, diagrams
export { eventsOf } from './runtime/embed/events-of.ts';
export { agentMachine } from './machines/agent/agent-machine.ts';
export { modelCallMachine } from './machines/model-call/model-call-machine.ts';
export { toolCallMachine } from './machines/tool-call/tool-call-machine.ts';
export { toMermaid } from './machines/diagrams/diagram.ts';
export { checkMachine } from './machines/check-machine.ts';

// In the AI SDK
export { asLanguageModel } from './runtime/ai-sdk/as-language-model.ts';

// Words that the others are made of
export type { Json, JsonObject, JsonSchema } from './base/json/json.ts';
export type { Schema } from './base/schemas/schema.ts';
