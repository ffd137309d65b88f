/**
 * The patterns: teams ready made, each a statechart of its own.
 *
 * Every one of them is an agent: it runs, streams, embeds and nests as any other.
 */
export { definePattern } from './define-pattern.ts';
export type { Pattern, PatternOptions } from './define-pattern.ts';
export { patternRegistry } from './registry.ts';
export type { PatternRegistry } from './registry.ts';
export { blackboard } from './blackboard.ts';
export type { BlackboardSetup, BlackboardState, Board, BoardReads, Specialist } from './blackboard.ts';
export { contractNet } from './contract-net.ts';
export type { Contractor, ContractNetSetup } from './contract-net.ts';
export type { Bid } from '../../coordination/contract-net.ts';
export { ensemble } from './ensemble.ts';
export type { EnsembleSetup, EnsembleState, Perspective } from './ensemble.ts';
export { consensus } from './consensus.ts';
export type { ConsensusResult, ConsensusSetup } from './consensus.ts';
export { handoffs } from './handoffs.ts';
export type { HandoffsSetup } from './handoffs.ts';
export { groupChat } from './group-chat.ts';
export type { ChatTurn, GroupChatSetup, NextSpeaker } from './group-chat.ts';
export { debate } from './debate.ts';
export type { DebateResult, DebateSetup, DebateTurn } from './debate.ts';
export { jury } from './jury.ts';
export type { JuryResult, JurySetup } from './jury.ts';
export { person } from '../person-member.ts';
export type { PersonOptions } from '../person-member.ts';
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
} from './parallel.ts';
export { pipeline } from './pipeline.ts';
export type { OnStageError, PipelineSetup, PipelineStage, StageOptions } from './pipeline.ts';
export { isStageFailure } from '../../coordination/pipeline.ts';
export type { StageFailure } from '../../coordination/pipeline.ts';
export { plannerExecutor } from './planner-executor.ts';
export type { PlannerExecutorSetup, StepResult } from './planner-executor.ts';
export { router } from './router.ts';
export type { Routed, RouterCard, RouterSetup, RouterStrategy, TierAssessment } from './router.ts';
export { rotation, workload } from './router-counters.ts';
export type { Rotation, Workload } from './router-counters.ts';
export type { RoleOptions } from './role-of.ts';
export { race } from './race.ts';
export type { RaceLoser, RaceSetup } from './race.ts';
export { saga } from './saga.ts';
export type { SagaSetup, SagaStep, SagaStepSetup } from './saga.ts';
export { supervisorWorker } from './supervisor-worker.ts';
export type { SupervisorWorkerSetup } from './supervisor-worker.ts';
export { writerCritic } from './writer-critic.ts';
export type { WriterCriticSetup } from './writer-critic.ts';
export type { Vote, Voter, VoteTally, VotingRule, VotingSetup } from './voting.ts';
