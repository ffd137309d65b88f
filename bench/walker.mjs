/** The agent of the task, of the parts of troupe that it is made of. `delayMs` makes each model call wait, so that many agents are under way at once. */
export const walkerOf = ({ agent, tool, modelAnswer, maxSteps, z }, task, delayMs) => {
  let count = 0;
  const answer = async ({ messages }) => {
    if (delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const chosen = task.decide(messages.at(-1).text, messages.length);
    if (chosen.text !== undefined) return modelAnswer({ text: chosen.text });
    // As providers do it: arguments travel as JSON text.
    const input = JSON.parse(JSON.stringify(chosen.call));
    return modelAnswer({ calls: [{ id: `c${(count += 1)}`, name: 'step', input }] });
  };
  return agent({
    name: 'walker',
    model: { provider: 'bench', id: 'walker', isLanguageModel: false, answer },
    tools: [
      tool({
        name: 'step',
        description: 'Takes a step.',
        input: z.object({ agent: z.number(), i: z.number() }),
        execute: task.step,
      }),
    ],
    stop: maxSteps(1_000_000),
  });
};
