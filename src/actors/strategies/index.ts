/** Strategies wrap an agent's own `decide` and its model, or replace its models by an engine. Set by `agent({ strategy })`. */

// Strategies
export { batch } from './batch.ts';
export type { BatchItem, BatchOptions } from './batch.ts';
export { bestOf } from './best-of.ts';
export type { BestOfOptions } from './best-of.ts';
export { chainOfThought } from './chain-of-thought.ts';
export type { ChainOfThoughtOptions } from './chain-of-thought.ts';
export { fallback } from './fallback.ts';
export { multiCycle, nativeCalls } from './multi-cycle.ts';
export type { MultiCycleOptions } from './multi-cycle.ts';
export { personInTheLoop } from './person-in-the-loop.ts';
export type { PersonInTheLoopOptions } from './person-in-the-loop.ts';
export { singleShot } from './single-shot.ts';
export { textCalls } from './text-calls.ts';

// By name
export { registerStrategy, strategyNames } from './strategy-registry.ts';
export type { AnswerForm, EnginePlace, Strategy, StrategyChoice } from '../../contracts/agents/strategy.ts';

// Routing
export { routing, routingSchema } from './routing.ts';
export type { RoutingDecision, RoutingOptions } from './routing.ts';

// External engines
export { passthrough } from './passthrough.ts';
export type { EngineAnswer, EngineRequest, ExternalEngine, PassthroughOptions } from './passthrough.ts';
export { memorySessions } from './session-store.ts';
export { storedSessions } from './stored-sessions.ts';
export type { StoredSessionsOptions } from './stored-sessions.ts';
export type { Session, SessionStore } from './session-store.ts';

// Branches and trees
export { bestCandidate, firstCandidate } from '../../contracts/agents/decision.ts';
export type { Selector } from '../../contracts/agents/decision.ts';
export { branching } from './branching.ts';
export { dynamicTree, greedy } from './search-policy.ts';
export type { SearchNode, SearchPolicy, SearchPolicyOptions, Visits } from './search-policy.ts';
export { searchTree } from './search-tree.ts';
export type { SearchMove, SearchPlan, SearchResult } from './search-tree.ts';
export { treeSearch } from './tree-search.ts';
export type { TreeSearchOptions } from './tree-search.ts';

// Convergence
export { allMet, anyMet, confidenceAtLeast, confidenceOf, testsPass } from './convergence.ts';
export type { AnswerTest, Convergence, Finding } from './convergence.ts';

// Structured reasoning
export { parseReasoning, parseRouting, REASONING_FORMAT, ROUTING_FORMAT } from './reasoning.ts';
export type { Reasoning, RoutingReasoning } from './reasoning.ts';
