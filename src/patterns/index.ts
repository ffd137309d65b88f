/**
 * The patterns: teams ready made, each a statechart of its own.
 *
 * Every one of them is an agent: it runs, streams, embeds and nests as any other.
 */
export {
  blackboard,
  consensus,
  contractNet,
  debate,
  ensemble,
  groupChat,
  handoffs,
  jury,
  orchestrator,
  parallel,
  pipeline,
  plannerExecutor,
  race,
  router,
  saga,
  supervisorWorker,
  writerCritic,
} from './house.ts';
export { pattern } from './setup/pattern.ts';
export type { Opened, PatternFacts, PatternParts, PlainFace, TeamParts } from './setup/pattern.ts';
export type { SetupCheck } from './setup/check-setup.ts';
export type { ChartArrow, ChartState, TeamChart } from '../coordination/round/team-chart.ts';
export { answeredWith, endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
export { definePattern } from './setup/define-pattern.ts';
export type { Pattern, PatternOptions } from './setup/define-pattern.ts';
export { patternRegistry } from './registry.ts';
export type { OwnPattern, PatternRegistry } from './registry.ts';
export type { BlackboardSetup, BlackboardState, Board, Specialist } from './blackboard.ts';
export type { BoardReads } from './state/board-reading.ts';
export type { Contractor, ContractNetSetup } from './contract-net.ts';
export type { Bid, ContractNetState } from './contract-net.ts';
export type { EnsembleSetup, EnsembleState, Perspective } from './ensemble.ts';
export type { ConsensusResult, ConsensusSetup } from './consensus.ts';
export type { HandoffsSetup } from './handoffs.ts';
export type { HandoffsState } from './handoffs.ts';
export type { GroupChatSetup, NextSpeaker } from './group-chat.ts';
export type { ChatTurn, GroupChatState } from './state/group-chat-talk.ts';
export type { DebateResult, DebateSetup, DebateState, DebateTurn } from './debate.ts';
export type { JuryResult, JurySetup } from './jury.ts';
export { person } from '../runtime/define/person-member.ts';
export type { PersonOptions } from '../runtime/define/person-member.ts';
export { workPhases } from './state/work-phases.ts';
export type { PhaseMap } from './state/work-phases.ts';
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
export type { OnStageError, PipelineSetup, PipelineStage, StageOptions } from './pipeline.ts';
export { isStageFailure } from './pipeline.ts';
export type { PipelineState, StageFailure } from './pipeline.ts';
export type { PlannerExecutorSetup } from './planner-executor.ts';
export type { PlannerExecutorState, StepResult } from './state/step-plan.ts';
export type { RouterSetup } from './router.ts';
export type { RouterCard, RouterStrategy, TierAssessment } from './setup/routing-choice.ts';
export { rotation, workload } from './router-counters.ts';
export type { Rotation, Workload } from './router-counters.ts';
export type { RouterState } from './router.ts';
export type { Role, RoleOptions } from './setup/role-of.ts';
export type { Skilled } from './skilled.ts';
export type { RaceLoser, RaceSetup, RaceState } from './race.ts';
export type { SagaSetup, SagaState, SagaStep, SagaStepSetup } from './saga.ts';
export type { SupervisorWorkerSetup } from './supervisor-worker.ts';
export type { SupervisorWorkerState } from './state/supervisor-context.ts';
export type { WriterCriticSetup, WriterCriticState } from './writer-critic.ts';
export type { Vote, VoteTally, VotingRule, VotingSetup, VotingState } from './voting.ts';
