import type { Model } from '../contracts/model.ts';

/** A model that goes by the name of another and answers in its own way. */
export const wrapModel = (model: Model, answer: Model['answer']): Model => ({
  provider: model.provider,
  id: model.id,
  ...(model.isLanguageModel === undefined ? {} : { isLanguageModel: model.isLanguageModel }),
  ...(model.secrets === undefined ? {} : { secrets: model.secrets }),
  answer,
});
