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
export { rotation, workload } from './router-counters.ts';
export { workPhases } from './state/work-phases.ts';

// Their options and states
export type { StageFailure } from './pipeline.ts';

// Patterns of your own
export { pattern } from './setup/pattern.ts';
export { answeredWith, endedAs, failedWith, stoppedBy } from '../coordination/round/ends.ts';
export { definePattern } from './setup/define-pattern.ts';
export type { Pattern } from './setup/define-pattern.ts';
export { patternRegistry } from './registry.ts';
export type { Member, TeamSetup } from '../runtime/define/team.ts';
export { repliesOf, spentEnd } from '../coordination/round/team-context.ts';
export type { TeamContext } from '../coordination/round/team-context.ts';
export { beginRound } from '../coordination/round/settle-reply.ts';
export type { Reply, Task } from '../coordination/round/round.ts';

// Workflows
export { workflow } from '../runtime/workflows/workflow.ts';
export { toWorkflow, toWorkflowNode } from '../runtime/workflows/agent-node.ts';
export { text } from '../runtime/workflows/references.ts';
export { changeWorkflow } from '../runtime/workflows/changes.ts';

// Strategies
export { batch } from '../actors/strategies/batch.ts';
export { bestOf } from '../actors/strategies/best-of.ts';
export { chainOfThought } from '../actors/strategies/chain-of-thought.ts';
export { fallback } from '../actors/strategies/fallback.ts';
export { multiCycle } from '../actors/strategies/multi-cycle.ts';
export { personInTheLoop } from '../actors/strategies/person-in-the-loop.ts';
export { singleShot } from '../actors/strategies/single-shot.ts';
export { textCalls } from '../actors/strategies/text-calls.ts';
export type { Strategy } from '../contracts/agents/strategy.ts';

// Branches and trees
export { bestCandidate } from '../contracts/agents/decision.ts';
export { branching } from '../actors/strategies/branching.ts';
export { dynamicTree, greedy } from '../actors/strategies/search-policy.ts';
export { treeSearch } from '../actors/strategies/tree-search.ts';

// Convergence
export { convergence } from '../actors/strategies/convergence.ts';

// By name, routing, and engines outside
export { registerStrategy } from '../actors/strategies/strategy-registry.ts';
export { routing } from '../actors/strategies/routing.ts';
export { passthrough } from '../actors/strategies/passthrough.ts';
export type { ExternalEngine } from '../actors/strategies/passthrough.ts';
export { memorySessions } from '../actors/strategies/session-store.ts';
export type { SessionStore } from '../actors/strategies/session-store.ts';
export { storedSessions } from '../actors/strategies/stored-sessions.ts';

// Critics
export { schemaCritic } from '../actors/critics/schema-critic.ts';
export { groundingCritic } from '../actors/critics/grounding-critic.ts';
export { reflectionCritic } from '../actors/critics/reflection-critic.ts';
export { agentCritic } from '../actors/critics/agent-critic.ts';
export { judgeCritic } from '../runtime/critics/judge-critic.ts';
export { progressCritic } from '../runtime/critics/progress-critic.ts';
export type { Critic, Review } from '../contracts/agents/critic.ts';
export type { Critique } from '../contracts/agents/critique.ts';
