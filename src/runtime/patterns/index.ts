/**
 * The patterns: teams ready made, each a statechart of its own.
 *
 * Every one of them is an agent: it runs, streams, embeds and nests as any other.
 */
export { definePattern } from './setup/define-pattern.ts';
export type { Pattern, PatternOptions } from './setup/define-pattern.ts';
export { patternRegistry } from './registry.ts';
export type { PatternRegistry } from './registry.ts';
export { blackboard } from './blackboard.ts';
export type { BlackboardSetup, BlackboardState, Board, BoardReads, Specialist } from './blackboard.ts';
export { contractNet } from './contract-net.ts';
export type { Contractor, ContractNetSetup } from './contract-net.ts';
export type { Bid, ContractNetState } from '../../coordination/contract-net.ts';
export { ensemble } from './ensemble.ts';
export type { EnsembleSetup, EnsembleState, Perspective } from './ensemble.ts';
export { consensus } from './consensus.ts';
export type { ConsensusResult, ConsensusSetup } from './consensus.ts';
export { handoffs } from './handoffs.ts';
export type { HandoffsSetup } from './handoffs.ts';
export type { HandoffsState } from '../../coordination/handoffs.ts';
export { groupChat } from './group-chat.ts';
export type { ChatTurn, GroupChatSetup, GroupChatState, NextSpeaker } from './group-chat.ts';
export { debate } from './debate.ts';
export type { DebateResult, DebateSetup, DebateState, DebateTurn } from './debate.ts';
export { jury } from './jury.ts';
export type { JuryResult, JurySetup } from './jury.ts';
export { person } from '../define/person-member.ts';
export type { PersonOptions } from '../define/person-member.ts';
export { orchestrator, workPhases } from './orchestrator.ts';
export type {
  Completion,
  OrchestratorSetup,
  OrchestratorState,
  OrchestratorTurn,
  PhaseMap,
  PhaseTransition,
} from './orchestrator.ts';
export { parallel } from './parallel.ts';
export type {
  Aggregator,
  ParallelBounds,
  ParallelMapSetup,
  ParallelReply,
  ParallelSetup,
  ParallelState,
} from './parallel.ts';
export { pipeline } from './pipeline.ts';
export type { OnStageError, PipelineSetup, PipelineStage, StageOptions } from './pipeline.ts';
export { isStageFailure } from '../../coordination/pipeline.ts';
export type { PipelineState, StageFailure } from '../../coordination/pipeline.ts';
export { plannerExecutor } from './planner-executor.ts';
export type { PlannerExecutorSetup, PlannerExecutorState, StepResult } from './planner-executor.ts';
export { router } from './router.ts';
export type { RouterCard, RouterSetup, RouterStrategy, TierAssessment } from './router.ts';
export { rotation, workload } from './router-counters.ts';
export type { Rotation, Workload } from './router-counters.ts';
export type { RouterState } from '../../coordination/router.ts';
export type { Role, RoleOptions } from './setup/role-of.ts';
export type { Skilled } from './skilled.ts';
export { race } from './race.ts';
export type { RaceLoser, RaceSetup, RaceState } from './race.ts';
export { saga } from './saga.ts';
export type { SagaSetup, SagaState, SagaStep, SagaStepSetup } from './saga.ts';
export { supervisorWorker } from './supervisor-worker.ts';
export type { SupervisorWorkerSetup } from './supervisor-worker.ts';
export type { SupervisorWorkerState } from '../../coordination/state/supervisor-context.ts';
export { writerCritic } from './writer-critic.ts';
export type { WriterCriticSetup } from './writer-critic.ts';
export type { WriterCriticState } from '../../coordination/writer-critic.ts';
export type { Vote, VoteTally, VotingRule, VotingSetup, VotingState } from './voting.ts';
