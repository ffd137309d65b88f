import type { AgentDefinition } from '../../actors/agent-definition.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { ModelAsker } from '../../contracts/events/inspection.ts';
import type { Model } from '../../contracts/models/model.ts';
import { resolveModel } from '../../models/model-registry.ts';
import type { RunModels } from '../actors/models.ts';
import { wrapForRun } from '../actors/models.ts';
import type { RunContent } from '../content/run-content.ts';
import type { PriceBook } from '../limits/price-book.ts';
import type { Clock } from '../../base/clock.ts';

/** The parts of a run that outlive it in an asker. */
interface AskedRun {
  readonly clock: Clock;
  readonly models: Pick<RunModels, 'chosen' | 'resources'>;
  readonly content: Pick<RunContent, 'convert'>;
  readonly money: { readonly prices: PriceBook };
}

/** The means to ask the models of an agent apart from its run. */
export const askerOf = (
  { name: agent, models: own, strategies, settings }: AgentDefinition,
  { clock, models: { chosen, resources }, content: { convert }, money: { prices } }: AskedRun,
): ModelAsker => {
  const engine = strategies.find((each) => each.engine !== undefined);
  const asAsked = (model: Model): Model => wrapForRun(model, resources, strategies);
  const given = (): readonly Model[] => {
    if (engine !== undefined) return [];
    const choices = own.length > 0 || chosen.length > 0 ? [...own, ...chosen] : [undefined];
    return choices.flatMap((choice) => {
      try {
        return [resolveModel(choice)];
      } catch {
        // One that cannot be made is not offered.
        return [];
      }
    });
  };
  const models = (): readonly Model[] => given().map(asAsked);
  return {
    clock,
    settings,
    convert,
    given,
    models,
    named: (name) => {
      if (engine === undefined)
        return (
          models().find(({ provider, id }) => `${provider}:${id}` === name) ?? asAsked(resolveModel(name))
        );
      const message = `Cannot ask a model as agent '${agent}' is run by '${engine.name}', which has a session in place of single calls: fork the run instead`;
      throw new TroupeError('model.missing', message);
    },
    costOf: async (model, usage, answered) => {
      await prices.open([model]);
      return prices.costOf(model, usage, answered);
    },
  };
};
