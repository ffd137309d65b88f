import type { Model, ModelCall } from '../../src/contracts/models/model.ts';
import { modelAnswer } from '../../src/contracts/models/model.ts';
import { deferred } from '../support/runs.ts';

/** A model that says what a test tells it to, when it tells it. */
export const speakingModel = () => {
  let call: ModelCall | undefined;
  const answered = deferred<string>();
  const model: Model = {
    provider: 'test',
    id: 'speaking',
    isLanguageModel: false,
    answer: async (_, its) => {
      call = its;
      return modelAnswer({ text: await answered.promise });
    },
  };
  return {
    model,
    say: (text: string) => call?.delta({ type: 'text', text }),
    end: (text: string) => {
      answered.resolve(text);
    },
  };
};
