import { agent } from 'troupe';
import { modelAnswer } from 'troupe/models';
import { defineEval, evaluators } from 'troupe/testing';

/** Answers with the number of the question, but for those that it gets wrong. */
const counting = (id: string, wrong: readonly string[]) => ({
  provider: 'scripted',
  id,
  isLanguageModel: false,
  answer: ({ messages }: { messages: { at(index: number): { text: string } | undefined } }) => {
    const number = /\d+/.exec(messages.at(-1)?.text ?? '')?.[0] ?? '';
    const text = wrong.includes(number) ? 'wrong' : `It is ${number}.`;
    return modelAnswer({ text, usage: { input: 10, output: 5, billedUsd: 0.01 } });
  },
});

const dataset = Array.from({ length: 8 }, (_, index) => ({
  id: `q${index}`,
  input: `Number ${index}?`,
  expected: `${index}`,
}));

export const clerk = agent({ name: 'clerk', model: counting('old', ['1', '2', '3', '4', '5', '6']) });

export const better = agent({ name: 'clerk', instructions: 'Be exact.', model: counting('new', []) });

export const strict = defineEval({
  name: 'strict',
  agent: clerk,
  dataset,
  evaluators: [evaluators.contains(), evaluators.cost(1)],
  gates: [{ measure: 'passRate', atLeast: 0.5 }],
});

export const lax = defineEval({
  name: 'lax',
  agent: clerk,
  dataset,
  evaluators: [evaluators.endsFor()],
  gates: [{ measure: 'passRate', atLeast: 1 }],
});
