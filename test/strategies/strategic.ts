import type { AgentOptions } from '../../src/contracts/agents/agent.ts';
import type { Model } from '../../src/contracts/models/model.ts';
import type { Strategy } from '../../src/contracts/agents/strategy.ts';
import { agent } from '../../src/runtime/define/agent.ts';

/** An agent that follows a strategy. */
export const strategic = (strategy: Strategy, model: Model, options: Partial<AgentOptions> = {}) =>
  agent({ name: 'thinker', ...options, strategy, model });
