/** Worker: one supervisor over many workers, warm: CPU time a worker. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { cpuMs, tell, words } from '../measure.mjs';

const load = (file) => import(pathToFileURL(join(process.env.TROUPE_DIST, file)).href);
const { agent, answer } = await load('index.js');
const { supervisorWorker } = await load('patterns/index.js');

const workers = Number(words().workers);
const AT_ONCE = 500;

const crowdOf = (size) =>
  supervisorWorker({
    name: 'crowd',
    supervisor: {
      decide: () =>
        answer({ assignments: Array.from({ length: size }, () => ({ worker: 'worker', task: 'go' })) }),
    },
    workers: { worker: agent({ name: 'worker', decide: () => answer('done') }) },
    result: 'replies',
    maxAssignments: size,
    concurrency: AT_ONCE,
  });

const usPerWorker = async (size) => {
  const from = cpuMs();
  const { output, status } = await crowdOf(size).run('go', { limits: { maxAgents: size + 10 } });
  if (
    status !== 'completed' ||
    output.length !== size ||
    output.some(({ status: reply }) => reply === 'failed')
  )
    throw new Error(`the crowd is ${status}`);
  return ((cpuMs() - from) * 1000) / size;
};

await usPerWorker(AT_ONCE);
await usPerWorker(AT_ONCE);
tell({ usPerWorker: await usPerWorker(workers), peakMb: process.resourceUsage().maxRSS / 1024 });
