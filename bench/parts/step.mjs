/** Worker: CPU µs per step of one contender, in a process of its own. */
import { cpuMs, median, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';

/** V8 has optimised all that a step runs through after some 4 s. */
const WARM_UP_MS = 6_000;
const BATCHES = 7;
const BATCH_MS = 100;
const ENOUGH_MS = 5_000;

const { contender, variant = '', ...options } = words();
const steps = Number(options.steps);
const agents = Number(options.agents);
const task = new Task(steps);
const { start } = await import(`../contenders/${contender}.mjs`);
const run = await start(task, variant);

let last = 0;
/** All agents at once; gives the CPU ms that they took. */
const once = async () => {
  const ids = Array.from({ length: agents }, () => (last += 1));
  const before = cpuMs();
  const answers = await Promise.all(ids.map((id) => run(id)));
  const used = cpuMs() - before;
  ids.forEach((id, index) => task.check(id, answers[index]));
  return used;
};

const warmFrom = cpuMs();
while (cpuMs() - warmFrom < WARM_UP_MS) await once();

// No forced garbage collection between batches: it is part of what a step costs, in its own time.
const batches = [];
let total = 0;
while (batches.length < BATCHES && total < ENOUGH_MS) {
  let used = 0;
  let runs = 0;
  for (; used < BATCH_MS; runs += 1) used += await once();
  batches.push((used * 1000) / (runs * agents * steps));
  total += used;
}
task.checkTotals();
tell({ usPerStep: median(batches), peakMb: process.resourceUsage().maxRSS / 1024 });
