/**
 * Ways of work. Of many: teams, each a statechart of its own, and workflows. Of one: strategies and critics.
 *
 * A team and a workflow are agents: they run, stream, are stored, embed and nest as any other.
 */

// Teams
export { blackboard } from './blackboard.ts';
export { consensus } from './consensus.ts';
export { contractNet } from './contract-net.ts';
export { debate } from './debate.ts';
export { ensemble } from './ensemble.ts';
export { groupChat } from './group-chat.ts';
export { handoffs } from './handoffs.ts';
export { jury } from './jury.ts';
export { orchestrator } from './orchestrator.ts';
export { parallel } from './parallel.ts';
export { pipeline, isStageFailure } from './pipeline.ts';
export { plannerExecutor } from './planner-executor.ts';
export { race } from './race.ts';
export { router } from './router.ts';
export { saga } from './saga.ts';
export { supervisorWorker } from './supervisor-worker.ts';
export { writerCritic } from './writer-critic.ts';
export { person } from '../runtime/define/person-member.ts';
export type { PersonOptions } from '../runtime/define/person-member.ts';
export { rotation, workload } from './router-counters.ts';
export type { Rotation, Workload } from './router-counters.ts';
export { workPhases } from './state/work-phases.ts';
export type { PhaseMap } from './state/work-phases.ts';

// Their options and states
export type { BlackboardSetup, BlackboardState, Board, Specialist } from './blackboard.ts';
export type { BoardReads } from './state/board-reading.ts';
export type { Contractor, ContractNetSetup, Bid, ContractNetState } from './contract-net.ts';
export type { EnsembleSetup, EnsembleState } from './ensemble.ts';
export type { ConsensusResult, ConsensusSetup } from './consensus.ts';
export type { HandoffsSetup, HandoffsState } from './handoffs.ts';
export type { GroupChatSetup, NextSpeaker } from './group-chat.ts';
export type { ChatTurn, GroupChatState } from './state/group-chat-talk.ts';
export type { DebateResult, DebateSetup, DebateState, DebateTurn } from './debate.ts';
export type { JuryResult, JurySetup } from './jury.ts';
export type { OrchestratorSetup } from './orchestrator.ts';
export type {
  Completion,
  OrchestratorState,
  OrchestratorTurn,
  PhaseTransition,
} from './state/orchestrator-route.ts';
export type {
  Aggregator,
  ParallelBounds,
  ParallelMapSetup,
  ParallelReply,
  ParallelSetup,
  ParallelState,
} from './parallel.ts';
export type {
  OnStageError,
  PipelineSetup,
  PipelineStage,
  StageOptions,
  PipelineState,
  StageFailure,
} from './pipeline.ts';
export type { PlannerExecutorSetup } from './planner-executor.ts';
export type { PlannerExecutorState, StepResult } from './state/step-plan.ts';
export type { RouterSetup, RouterState } from './router.ts';
export type { RouterCard, RouterStrategy, TierAssessment } from './setup/routing-choice.ts';
export type { Role, RoleOptions } from './setup/role-of.ts';
export type { Skilled } from './skilled.ts';
export type { RaceLoser, RaceSetup, RaceState } from './race.ts';
export type { SagaSetup, SagaState, SagaStep, SagaStepSetup } from './saga.ts';
export type { SupervisorWorkerSetup } from './supervisor-worker.ts';
export type { SupervisorWorkerState, Verdict, WorkerReply } from './state/supervisor-context.ts';
export type { WriterCriticSetup, WriterCriticState } from './writer-critic.ts';
export type { Vote, VoteTally, VotingRule, VotingSetup, VotingState } from './voting.ts';

// Patterns of your own
export { pattern } from './setup/pattern.ts';
export type { Opened, PatternFacts, PatternParts, PlainFace, TeamParts } from './setup/pattern.ts';
export type { SetupCheck } from './setup/check-setup.ts';
export type { ChartArrow, ChartState } from '../coordination/round/team-chart.ts';
export { answeredWith, endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
export { definePattern } from './setup/define-pattern.ts';
export type { Pattern, PatternOptions } from './setup/define-pattern.ts';
export { patternRegistry } from './registry.ts';
export type { OwnPattern, PatternRegistry } from './registry.ts';
export { team } from '../runtime/define/team.ts';
export type { Member, TeamFailures, TeamLimits, TeamOptions, TeamSetup } from '../runtime/define/team.ts';
export type { FlowArrow } from '../machines/diagrams/composition.ts';
export { awaiting, emitEvent, setupTeam, teamArrows, teamEnds } from '../coordination/round/setup-team.ts';
export { repliesOf, spentEnd, teamContext, teamOutcome } from '../coordination/round/team-context.ts';
export type { TeamContext, TeamEnd, TeamEvent, TeamInput } from '../coordination/round/team-context.ts';
export { beginRound } from '../coordination/round/settle-reply.ts';
export type { Reply, Round, RoundOptions, Task } from '../coordination/round/round.ts';

// Workflows
export { workflow } from '../runtime/workflows/workflow.ts';
export type { WorkflowSetup } from '../runtime/workflows/workflow.ts';
export type { WorkflowLimits, WorkflowOptions } from '../runtime/workflows/plan.ts';
export { text } from '../runtime/workflows/references.ts';
export { changeWorkflow } from '../runtime/workflows/changes.ts';
export type { AddedNode } from '../runtime/workflows/changes.ts';
export type { EdgeKind } from '../coordination/workflow/workflow-graph.ts';
export type { NodeResult } from '../coordination/workflow/workflow-end.ts';
export type { NodeStatus } from '../coordination/workflow/workflow-state.ts';
export type {
  From,
  MapOptions,
  NodeFunction,
  NodeOptions,
  NodeScope,
  Outputs,
  Reference,
  ReferenceText,
  ReferenceTo,
  Template,
  WorkflowBuilder,
  WorkflowNode,
  WorkflowOutput,
  WorkflowState,
} from '../runtime/workflows/workflow-builder.ts';

// Strategies
export { batch } from '../actors/strategies/batch.ts';
export type { BatchItem, BatchOptions } from '../actors/strategies/batch.ts';
export { bestOf } from '../actors/strategies/best-of.ts';
export type { BestOfOptions } from '../actors/strategies/best-of.ts';
export { chainOfThought } from '../actors/strategies/chain-of-thought.ts';
export type { ChainOfThoughtOptions } from '../actors/strategies/chain-of-thought.ts';
export { fallback } from '../actors/strategies/fallback.ts';
export { multiCycle, nativeCalls } from '../actors/strategies/multi-cycle.ts';
export type { MultiCycleOptions } from '../actors/strategies/multi-cycle.ts';
export { personInTheLoop } from '../actors/strategies/person-in-the-loop.ts';
export type { PersonInTheLoopOptions } from '../actors/strategies/person-in-the-loop.ts';
export { singleShot } from '../actors/strategies/single-shot.ts';
export { textCalls } from '../actors/strategies/text-calls.ts';
export type { Choice, DecisionDesk, DecisionReview, Strategy } from '../contracts/agents/strategy.ts';

// Branches and trees
export { bestCandidate, firstCandidate } from '../contracts/agents/decision.ts';
export type { Selector } from '../contracts/agents/decision.ts';
export { branching } from '../actors/strategies/branching.ts';
export { dynamicTree, greedy } from '../actors/strategies/search-policy.ts';
export type {
  SearchNode,
  SearchPolicy,
  SearchPolicyOptions,
  Visits,
} from '../actors/strategies/search-policy.ts';
export { searchTree } from '../actors/strategies/search-tree.ts';
export type { SearchMove, SearchPlan, SearchResult } from '../actors/strategies/search-tree.ts';
export { treeSearch } from '../actors/strategies/tree-search.ts';
export type { TreeSearchOptions } from '../actors/strategies/tree-search.ts';

// Convergence
export {
  allMet,
  anyMet,
  confidenceAtLeast,
  confidenceOf,
  testsPass,
} from '../actors/strategies/convergence.ts';
export type { AnswerTest, Convergence, Finding } from '../actors/strategies/convergence.ts';

// Structured reasoning
export {
  parseReasoning,
  parseRouting,
  REASONING_FORMAT,
  ROUTING_FORMAT,
} from '../actors/strategies/reasoning.ts';
export type { Reasoning, RoutingReasoning } from '../actors/strategies/reasoning.ts';

// By name, routing, and engines outside
export { registerStrategy, strategyNames } from '../actors/strategies/strategy-registry.ts';
export type { StrategyChoice, EnginePlace, AnswerForm } from '../contracts/agents/strategy.ts';
export { routing, routingSchema } from '../actors/strategies/routing.ts';
export type { RoutingDecision, RoutingOptions } from '../actors/strategies/routing.ts';
export { passthrough } from '../actors/strategies/passthrough.ts';
export type {
  EngineAnswer,
  EngineRequest,
  ExternalEngine,
  PassthroughOptions,
} from '../actors/strategies/passthrough.ts';
export { memorySessions } from '../actors/strategies/session-store.ts';
export type { Session, SessionStore } from '../actors/strategies/session-store.ts';
export { storedSessions } from '../actors/strategies/stored-sessions.ts';
export type { StoredSessionsOptions } from '../actors/strategies/stored-sessions.ts';

// Critics
export { schemaCritic } from '../actors/critics/schema-critic.ts';
export { groundingCritic } from '../actors/critics/grounding-critic.ts';
export type { GroundingOptions } from '../actors/critics/grounding-critic.ts';
export { saysNotFound } from '../actors/critics/says-not-found.ts';
export { reflectionCritic } from '../actors/critics/reflection-critic.ts';
export type { ReflectionOptions } from '../actors/critics/reflection-critic.ts';
export { agentCritic } from '../actors/critics/agent-critic.ts';
export type { AgentCriticOptions } from '../actors/critics/agent-critic.ts';
export { judgeCritic } from '../runtime/critics/judge-critic.ts';
export type { JudgeCriticOptions } from '../runtime/critics/judge-critic.ts';
export { progressCritic } from '../runtime/critics/progress-critic.ts';
export type { ProgressOptions } from '../runtime/critics/progress-critic.ts';
export type { Critic, Review } from '../contracts/agents/critic.ts';
export type { Critique, CritiquePatch, SaidCritique } from '../contracts/agents/critique.ts';
