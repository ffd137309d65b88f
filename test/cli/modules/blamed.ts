import { agent } from 'troupe';
import type { Model } from 'troupe/models';
import { modelAnswer } from 'troupe/models';
import { pipeline } from 'troupe/patterns';

/** Says a wrong price the first time, and the right one from then on. */
const clerkModel = (): Model => {
  let asked = 0;
  return {
    provider: 'acme',
    id: 'clerk-1',
    answer: () => {
      asked += 1;
      const usage = { input: 100, output: 10, billedUsd: 0.01 };
      return modelAnswer({ text: asked === 1 ? 'It is 24.' : 'It is 42.', usage });
    },
  };
};

const writerModel: Model = {
  provider: 'acme',
  id: 'writer-1',
  answer: ({ messages }) =>
    modelAnswer({
      text: `Dear reader: ${messages.at(messages.length - 1)?.text ?? ''}`,
      usage: { input: 100, output: 10, billedUsd: 0.01 },
    }),
};

/** A desk whose clerk is wrong at first, as the tests of blame need it. */
export const desk = pipeline({
  name: 'desk',
  stages: [agent({ name: 'clerk', model: clerkModel() }), agent({ name: 'writer', model: writerModel })],
});
