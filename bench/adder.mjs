import { cpuMs } from './measure.mjs';

/** The tool of an agent that calls it in each of its `steps`, without a model, and what a step of a run of that agent costs. `facts` are further options of the tool. */
export const adderOf = ({ act, agent, answer, maxSteps, tool, z }, steps, facts = {}) => {
  const add = tool({
    name: 'add',
    description: 'Adds one.',
    input: z.object({ to: z.number() }),
    execute: ({ to }) => to + 1,
    ...facts,
  });
  const adder = agent({
    name: 'adder',
    tools: [add],
    stop: maxSteps(10 * steps),
    decide: ({ step }) => (step < steps ? act({ name: 'add', input: { to: step } }) : answer('there')),
  });
  /** CPU µs a step. */
  const usPerStep = async (options) => {
    const from = cpuMs();
    const { status } = await adder.run('go', options);
    if (status !== 'completed') throw new Error(`the run was ${status}`);
    return ((cpuMs() - from) * 1_000) / steps;
  };
  return { add, usPerStep };
};
