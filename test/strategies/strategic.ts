import type { AgentOptions } from '../../src/contracts/agent.ts';
import type { Model } from '../../src/contracts/model.ts';
import type { Strategy } from '../../src/contracts/strategy.ts';
import { applyStrategy } from '../../src/actors/strategies/apply-strategy.ts';
import { agent } from '../../src/runtime/agent.ts';

/** An agent that follows a strategy. */
export const strategic = (strategy: Strategy, model: Model, options: Partial<AgentOptions> = {}) =>
  agent({
    ...applyStrategy({ name: 'thinker', ...options }, strategy),
    model: strategy.model?.(model) ?? model,
  });
