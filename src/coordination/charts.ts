import type { AnyStateMachine } from 'xstate';
import { contractNetMachine } from './contract-net.ts';
import { ensembleMachine } from './ensemble.ts';
import { consensusMachine } from './consensus.ts';
import { handoffsMachine } from './handoffs.ts';
import { groupChatMachine } from './group-chat.ts';
import { debateMachine } from './debate.ts';
import { juryMachine } from './jury.ts';
import { parallelMachine } from './parallel.ts';
import { pipelineMachine } from './pipeline.ts';
import { routerMachine } from './router.ts';
import { plannerExecutorMachine } from './planner-executor.ts';
import { raceMachine } from './race.ts';
import { sagaMachine } from './saga.ts';
import { supervisorWorkerMachine } from './supervisor-worker.ts';
import { writerCriticMachine } from './writer-critic.ts';

/** The chart of every pattern, by the name of the pattern; made when it is asked for. */
export const charts: Readonly<Record<string, () => AnyStateMachine>> = {
  contractNet: contractNetMachine,
  ensemble: ensembleMachine,
  consensus: consensusMachine,
  handoffs: handoffsMachine,
  groupChat: groupChatMachine,
  debate: debateMachine,
  jury: juryMachine,
  parallel: parallelMachine,
  pipeline: pipelineMachine,
  plannerExecutor: plannerExecutorMachine,
  router: routerMachine,
  race: raceMachine,
  saga: sagaMachine,
  supervisorWorker: supervisorWorkerMachine,
  writerCritic: writerCriticMachine,
};
