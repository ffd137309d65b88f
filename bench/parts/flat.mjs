/** Worker: what steps 100 to 200 and 4,900 to 5,000 of the same long runs cost. */
import { cpuMs, median, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';

const RUNS = 30;
const WARM_UP_MS = 2_000;
const { contender, variant = '' } = words();
const marks = new Map([100, 200, 4_900, 5_000].map((call) => [call, 0]));
const task = new Task(5_001);
task.onCall = (call) => {
  if (marks.has(call)) marks.set(call, cpuMs());
};
const { start } = await import(`../contenders/${contender}.mjs`);
const run = await start(task, variant);

const early = [];
const late = [];
const warmFrom = cpuMs();
for (let id = 1; late.length < RUNS; id += 1) {
  task.check(id, await run(id));
  if (cpuMs() - warmFrom < WARM_UP_MS) continue;
  early.push((marks.get(200) - marks.get(100)) * 10);
  late.push((marks.get(5_000) - marks.get(4_900)) * 10);
}
task.checkTotals();
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
tell({ early: mean(early), late: mean(late), medianEarly: median(early), medianLate: median(late) });
