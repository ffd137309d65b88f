/** Worker: what a store adds to a run of so many steps, how large its journal is, and how long it takes to take it up again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { makeAgent } from '../contenders/troupe.mjs';
import { cpuMs, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';

const { steps: wanted } = words();
const steps = Number(wanted);
const load = (file) => import(pathToFileURL(join(process.env.TROUPE_DIST, file)).href);
const { sqliteStore } = await load('persistence/index.js');
const { resume } = await load('index.js');
const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const task = new Task(steps);
const walker = await makeAgent(task);

let last = 0;
/** A run, in a store or in none. */
const once = async (options = {}) => {
  const id = (last += 1);
  const before = cpuMs();
  const from = performance.now();
  const { output, status } = await walker.run(task.prompt(id), options);
  const found = { cpu: cpuMs() - before, wall: performance.now() - from };
  if (status !== 'completed') throw new Error(status);
  task.check(id, output);
  return found;
};

/** A store on the disk that counts its commits. */
const counted = (name) => {
  const store = sqliteStore(join(folder, name));
  const commit = store.commit.bind(store);
  const found = { store, commits: 0 };
  store.commit = (...of) => {
    found.commits += 1;
    return commit(...of);
  };
  return found;
};

const warmFrom = cpuMs();
const warm = counted('warm.db');
while (cpuMs() - warmFrom < 2_000) {
  await once();
  const runId = `warm-${last}`;
  await once({ store: warm.store, runId });
  await (
    await resume(walker, runId, { store: warm.store })
  ).result;
}

const plain = await once();
const kept = counted('kept.db');
const stored = await once({ store: kept.store, runId: 'run' });
const rows = await kept.store.read('run');
const from = performance.now();
const before = cpuMs();
const handle = await resume(walker, 'run', { store: kept.store });
const resumed = { wallMs: performance.now() - from, cpuMs: cpuMs() - before };
await handle.result;
rmSync(folder, { recursive: true, force: true });
tell({
  steps,
  commits: kept.commits,
  bytes: rows.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  plainUs: (plain.cpu * 1_000) / steps,
  storedUs: (stored.cpu * 1_000) / steps,
  storedWallUs: (stored.wall * 1_000) / steps,
  resumeMs: resumed.wallMs,
  resumeCpuMs: resumed.cpuMs,
});
