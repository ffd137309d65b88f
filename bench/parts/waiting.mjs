/** Worker: agents of troupe that all wait for their model at once, cold: what each holds, and what becomes of the process. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeAgent } from '../contenders/troupe.mjs';
import { cpuMs, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';

const agents = Number(words().agents);
const delayMs = Number(words().delayMs);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

const mainCpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

const used = () => {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
};

/** The task with a model that is held, or takes its time: the answer comes in its first turn. */
const task = new Task(0);
let asked = 0;
let allAsked;
let release;
const isHeld = new Promise((resolve) => {
  release = resolve;
});
const decide = task.decide.bind(task);
const walker = await makeAgent(task, delayMs);

/** Bytes of an agent that waits inside its model, by its heap once everything else was collected. */
const bytesEach = async (count) => {
  const load = (file) => import(pathToFileURL(join(process.env.TROUPE_DIST, file)).href);
  const { agent } = await load('index.js');
  const { modelAnswer } = await load('models/index.js');
  const waiting = agent({
    name: 'walker',
    model: {
      provider: 'bench',
      id: 'held',
      isLanguageModel: false,
      answer: async ({ messages }) => {
        asked += 1;
        if (asked === count) allAsked();
        await isHeld;
        return modelAnswer({ text: decide(messages.at(-1).text, messages.length).text });
      },
    },
  });
  const all = new Promise((resolve) => {
    allAsked = resolve;
  });
  const before = used();
  const runs = Array.from({ length: count }, (_, index) => waiting.run(task.prompt(index + 1)));
  await all;
  const bytes = (used() - before) / count;
  release();
  await Promise.all(runs);
  return bytes;
};

await walker.run(task.prompt(0));
const bytesPerAgent = await bytesEach(Math.min(agents, 2_000));

/** What the main thread itself did between two turns of the loop: a lag that a busy machine does not add to. */
const turns = [];
let turnedAt = mainCpuMs();
const timer = setInterval(() => {
  const now = mainCpuMs();
  turns.push(now - turnedAt);
  turnedAt = now;
}, 1);
const cpuFrom = cpuMs();
const from = performance.now();
const results = await Promise.all(
  Array.from({ length: agents }, (_, index) => walker.run(task.prompt(index + 1))),
);
const found = { wallMs: performance.now() - from, cpuMs: cpuMs() - cpuFrom };
clearInterval(timer);
turns.sort((a, b) => a - b);
if (results.some(({ status }) => status !== 'completed')) throw new Error('an agent did not complete');
tell({
  ...found,
  bytesPerAgent,
  peakMb: process.resourceUsage().maxRSS / 1024,
  ownP99Ms: turns[Math.floor(turns.length * 0.99)],
  ownMaxMs: turns.at(-1),
});
