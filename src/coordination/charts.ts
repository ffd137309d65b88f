import type { AnyStateMachine } from 'xstate';
import { blackboardMachine } from './blackboard.ts';
import { consensusMachine } from './consensus.ts';
import { contractNetMachine } from './contract-net.ts';
import { debateMachine } from './debate.ts';
import { ensembleMachine } from './ensemble.ts';
import { groupChatMachine } from './group-chat.ts';
import { handoffsMachine } from './handoffs.ts';
import { juryMachine } from './jury.ts';
import { orchestratorMachine } from './orchestrator.ts';
import { parallelMachine } from './parallel.ts';
import { pipelineMachine } from './pipeline.ts';
import { plannerExecutorMachine } from './planner-executor.ts';
import { raceMachine } from './race.ts';
import { routerMachine } from './router.ts';
import { sagaMachine } from './saga.ts';
import { supervisorWorkerMachine } from './supervisor-worker.ts';
import { writerCriticMachine } from './writer-critic.ts';

/** The chart of every pattern, by the name of the pattern; made when it is asked for. */
export const charts: Readonly<Record<string, () => AnyStateMachine>> = {
  blackboard: blackboardMachine,
  consensus: consensusMachine,
  contractNet: contractNetMachine,
  debate: debateMachine,
  ensemble: ensembleMachine,
  groupChat: groupChatMachine,
  handoffs: handoffsMachine,
  jury: juryMachine,
  orchestrator: orchestratorMachine,
  parallel: parallelMachine,
  pipeline: pipelineMachine,
  plannerExecutor: plannerExecutorMachine,
  race: raceMachine,
  router: routerMachine,
  saga: sagaMachine,
  supervisorWorker: supervisorWorkerMachine,
  writerCritic: writerCriticMachine,
};
