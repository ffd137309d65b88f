/** Worker: many agents of troupe at once, cold: wall time, memory, and how long others wait for the event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { makeAgent } from '../contenders/troupe.mjs';
import { cpuMs, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';

const { agents, steps, delayMs } = Object.fromEntries(
  Object.entries(words()).map(([name, value]) => [name, Number(value)]),
);
const task = new Task(steps);
const walker = await makeAgent(task, delayMs);
const mainCpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** What the main thread itself did between two turns of the loop: a lag that a busy machine does not add to. */
const turns = [];
let turnedAt = mainCpuMs();
const turn = () => {
  const now = mainCpuMs();
  turns.push(now - turnedAt);
  turnedAt = now;
};

const lag = monitorEventLoopDelay({ resolution: 1 });
// It measures from its second tick on, so it has to tick before the work begins.
lag.enable();
const timer = setInterval(turn, 1);
await new Promise((resolve) => setTimeout(resolve, 50));
lag.reset();
turns.length = 0;
const [from, cpuFrom] = [performance.now(), cpuMs()];
const ids = Array.from({ length: agents }, (_, index) => index + 1);
const results = await Promise.all(ids.map((id) => walker.run(task.prompt(id))));
const [wallMs, cpu] = [performance.now() - from, cpuMs() - cpuFrom];
// The last stretch of work counts as well: it is seen when the loop turns again.
await new Promise((resolve) => setTimeout(resolve, 50));
lag.disable();
clearInterval(timer);
turns.sort((a, b) => a - b);
ids.forEach((id, index) => task.check(id, results[index].output));
task.checkTotals();
tell({
  wallMs,
  cpuMs: cpu,
  peakMb: process.resourceUsage().maxRSS / 1024,
  lagP99Ms: lag.percentile(99) / 1e6,
  ownP99Ms: turns[Math.floor(turns.length * 0.99)],
  ownMaxMs: turns.at(-1),
});
