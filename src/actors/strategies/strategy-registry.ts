import { checkOptions } from '../../contracts/errors/check-options.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { Strategy, StrategyChoice } from '../../contracts/agents/strategy.ts';
import { routing } from './routing.ts';
import { strategySchema } from './strategy-schema.ts';

/** The default strategy: models and tools in a loop. */
const reasonAct: Strategy = { name: 'reason-act' };

const registered = onDemand(
  () => new Map<string, Strategy>([reasonAct, routing()].map((strategy) => [strategy.name, strategy])),
);

/**
 * Registers a strategy by its name, for all agents defined from then on.
 *
 * @example
 * registerStrategy(passthrough({ name: 'claude', engine }));
 * agent({ name: 'coder', strategy: 'claude' });
 *
 * @throws {TroupeError} `agent.invalid` for something that is not a strategy, `agent.duplicate` for a name that another one has.
 */
export const registerStrategy = (strategy: Strategy): void => {
  checkOptions(strategySchema(), strategy, {
    code: 'agent.invalid',
    owner: 'the strategy',
    verb: 'register',
  });
  const known = registered().get(strategy.name);
  if (known !== undefined && known !== strategy)
    throw new TroupeError(
      'agent.duplicate',
      `Cannot register the strategy '${strategy.name}' as another one is called that: there are ${strategyNames().join(', ')}`,
    );
  registered().set(strategy.name, strategy);
};

/** Names that an agent's `strategy` option accepts. */
export const strategyNames = (): readonly string[] => [...registered().keys()];

/**
 * Resolves the strategies of an agent, the outermost first.
 *
 * @throws {TroupeError} `agent.invalid` for an unknown name, with the known ones.
 */
export const strategiesOf = (
  choice: StrategyChoice | readonly StrategyChoice[] = [],
  agent: string,
): readonly Strategy[] =>
  (isList(choice) ? choice : [choice]).map((each) =>
    typeof each === 'string' ? strategyNamed(each, agent) : each,
  );

const isList = (choice: StrategyChoice | readonly StrategyChoice[]): choice is readonly StrategyChoice[] =>
  Array.isArray(choice);

const strategyNamed = (name: string, agent: string): Strategy => {
  const strategy = registered().get(name);
  if (strategy !== undefined) return strategy;
  const hint =
    name === 'passthrough' ? ': create one for your engine with passthrough({ name, engine })' : '';
  throw new TroupeError(
    'agent.invalid',
    `Cannot define the agent '${agent}' as no strategy is called '${name}'${hint}; there are ${strategyNames().join(', ')}`,
  );
};
