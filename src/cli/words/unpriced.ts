import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { Model } from '../../contracts/models/model.ts';
import { nameOption } from '../usage/name-option.ts';

const LIST = 'install or update the list of prices, @pydantic/genai-prices';

/** The error of `--budget` for a model without a price, with what the command line can do about it; any other as it is. */
export const explainBudget = (thrown: unknown, budget: number | undefined, model: Model): unknown => {
  if (!isTroupeError(thrown, 'budget.unpriced') || budget === undefined) return thrown;
  const message = `Cannot hold --budget ${budget} as the price of a model is not known: ${model.provider}:${model.id}. Leave --budget out, name another --model, or ${LIST}`;
  return new TroupeError(thrown.code, message, { cause: thrown });
};

/** The error of a budget that the agent's own code sets, with what the command line can do about it; any other as it is. */
export const explainOwnBudget = (thrown: unknown): unknown =>
  nameOption(thrown, ['budget.unpriced'], "the agent's own limits", `name another --model, or ${LIST}`);
