import type { Model } from '../contracts/models/model.ts';

/** Wraps a model under its own name, with another answer function. */
export const wrapModel = (model: Model, answer: Model['answer']): Model => ({
  provider: model.provider,
  id: model.id,
  ...(model.isLanguageModel === undefined ? {} : { isLanguageModel: model.isLanguageModel }),
  get takes() {
    return model.takes;
  },
  ...(model.priceShare === undefined ? {} : { priceShare: model.priceShare }),
  ...(model.secrets === undefined ? {} : { secrets: model.secrets }),
  answer,
});
