/** The patterns of the house: what stands here is registered, drawn and held to the contract of all patterns. */
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
export { pipeline } from './pipeline.ts';
export { plannerExecutor } from './planner-executor.ts';
export { race } from './race.ts';
export { router } from './router.ts';
export { saga } from './saga.ts';
export { supervisorWorker } from './supervisor-worker.ts';
export { writerCritic } from './writer-critic.ts';
