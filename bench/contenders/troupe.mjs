/** troupe as it is used: validated input, events, the log of effects and cancellation are on. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { z } from 'zod';

const dist = process.env.TROUPE_DIST;
const load = (file) => import(pathToFileURL(join(dist, file)).href);

/** The agent of the task. `delayMs` makes each model call wait, so that many agents are under way at once. */
export const makeAgent = async (task, delayMs) => {
  const { agent, tool, modelAnswer, maxSteps } = await load('index.js');
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

/** The answer of a run. Nobody reads its events here, so they need not be built: `watched` says what that costs. */
const answered = ({ status, output, totals }, task) => {
  if (status !== 'completed' || totals.steps !== task.steps + 1)
    throw new Error(`${status}, ${totals.steps} steps`);
  return output;
};

const starts = {
  '': async (task) => {
    const walker = await makeAgent(task);
    return async (agent) => answered(await walker.run(task.prompt(agent)), task);
  },
  /** Somebody watches every event. */
  watched: async (task) => {
    const walker = await makeAgent(task);
    return async (agent) => {
      const handle = walker.stream(task.prompt(agent));
      let seen = 0;
      handle.events$.subscribe(() => (seen += 1));
      const result = await handle.result;
      if (seen < 15 * task.steps) throw new Error(`only ${seen} events seen`);
      return answered(result, task);
    };
  },
};

export const start = (task, variant) => starts[variant](task);
