/** troupe as it is used: validated input, events, the log of effects and cancellation are on. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { z } from 'zod';
import { walkerOf } from '../walker.mjs';

const dist = process.env.TROUPE_DIST;
const load = (file) => import(pathToFileURL(join(dist, file)).href);

/** The agent of the task; see {@link walkerOf}. */
export const makeAgent = async (task, delayMs) =>
  walkerOf({ ...(await load('index.js')), ...(await load('models/index.js')), z }, task, delayMs);

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
