/** Ready-made critics, for `agent({ critics: […] })`. Your own is any object with a `name` and a function `critique`. */

export { schemaCritic } from '../../actors/critics/schema-critic.ts';
export { groundingCritic } from '../../actors/critics/grounding-critic.ts';
export type { GroundingOptions } from '../../actors/critics/grounding-critic.ts';
export { saysNotFound } from '../../actors/critics/says-not-found.ts';
export { reflectionCritic } from '../../actors/critics/reflection-critic.ts';
export type { ReflectionOptions } from '../../actors/critics/reflection-critic.ts';
export { agentCritic } from '../../actors/critics/agent-critic.ts';
export type { AgentCriticOptions } from '../../actors/critics/agent-critic.ts';
export { judgeCritic } from './judge-critic.ts';
export type { JudgeCriticOptions } from './judge-critic.ts';
export { progressCritic } from './progress-critic.ts';
export type { ProgressOptions } from './progress-critic.ts';
export type { Critic, Review } from '../../contracts/agents/critic.ts';
export type { Critique, CritiquePatch, SaidCritique } from '../../contracts/agents/critique.ts';
