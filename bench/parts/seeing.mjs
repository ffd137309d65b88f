/** Worker: what it costs a run to be seen: CPU µs per step alone, recorded, and followed; and wall time with ten bad observers. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { adderOf } from '../adder.mjs';
import { tell } from '../measure.mjs';

const load = (file) => import(pathToFileURL(join(process.env.TROUPE_DIST, file)).href);
const troupe = await load('index.js');
const { agent, maxSteps } = troupe;
const { modelAnswer } = await load('models/index.js');
const { recorder } = await load('inspect/index.js');
const { z } = await import('zod');

const STEPS = 1_000;
const ROUNDS = 12;

const { add, usPerStep } = adderOf({ ...troupe, z }, STEPS);

const followed = () => {
  const record = recorder();
  record.recording.follow({ entry: () => undefined });
  return record;
};
const ways = {
  alone: () => ({}),
  xstate: () => ({ inspect: () => undefined }),
  recorded: () => ({ inspect: recorder() }),
  followed: () => ({ inspect: followed() }),
};

const best = Object.fromEntries(Object.keys(ways).map((name) => [name, Infinity]));
for (let round = 0; round < ROUNDS; round += 1)
  for (const [name, options] of Object.entries(ways))
    best[name] = Math.min(best[name], await usPerStep(options()));

/** A model that takes 20 ms. */
const slow = agent({
  name: 'slow',
  tools: [add],
  stop: maxSteps(100),
  model: {
    provider: 'bench',
    id: 'slow',
    isLanguageModel: false,
    answer: async ({ messages }) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      if (messages.length > 80) return modelAnswer({ text: 'there' });
      return modelAnswer({
        calls: [{ id: `c${messages.length}`, name: 'add', input: { to: messages.length } }],
      });
    },
  },
});
const fails = () => {
  throw new Error('no');
};
const never = () => new Promise(() => undefined);
const bad = () => {
  const record = followed();
  record.recording.follow({ entry: fails });
  return {
    inspect: record,
    hooks: [fails, never, never, () => Promise.reject(new Error('no')), fails, never, fails, never].map(
      (handle, index) => ({ name: `bad ${index}`, handle }),
    ),
  };
};
const wallMs = async (options) => {
  const from = performance.now();
  const handle = slow.stream('go', options);
  if (options.hooks !== undefined) handle.events$.subscribe({ next: fails });
  for await (const event of handle) if (event.type === 'run.ended') break;
  return performance.now() - from;
};
const wall = { alone: Infinity, watched: Infinity };
for (let round = 0; round < 5; round += 1) {
  wall.alone = Math.min(wall.alone, await wallMs({}));
  wall.watched = Math.min(wall.watched, await wallMs(bad()));
}
tell({ ...best, wallAloneMs: wall.alone, wallWatchedMs: wall.watched });
process.exit(0);
