/** Worker: transitions by the table beside XState's own, and whole steps of runs moved by each, in turn within one process. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cpuMs, median, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';
import { walkerOf } from '../walker.mjs';

// Neither is published: what is measured is bundled from the sources, as the package is.
const outfile = join(import.meta.dirname, '../.tmp/table-sources.mjs');
const entryPoints = [join(import.meta.dirname, 'table-sources.mjs')];
await build({
  entryPoints,
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'es2022',
  packages: 'external',
});
const sources = await import(pathToFileURL(outfile).href);
const { definitionOf, DrivenHost, startRun, moverOf, rules, outputs } = sources;

const options = words();
const steps = Number(options.steps ?? 100);
const ROUNDS = Number(options.rounds ?? 15);
const BATCH_MS = 150;

const task = new Task(steps);
const walker = walkerOf(sources, task);

const definition = definitionOf(walker);
/** The same machine with an action that nobody defines: it does nothing, and no table knows it. */
const byXState = definition.machine.provide({});
byXState.root.exit.push('nothing');
const machines = { xstate: byXState, table: definition.machine };
for (const [by, machine] of Object.entries(machines))
  if (moverOf(machine).movedBy.by !== by) throw new Error(`${by} does not move its machine`);

let last = 0;
const run = async (machine, host = new DrivenHost()) => {
  const id = (last += 1);
  const setup = { isAttended: false, host };
  const { status, output } = await startRun({ ...definition, machine }, task.prompt(id), {}, setup).result;
  if (status !== 'completed') throw new Error(status);
  task.check(id, output);
};

/** The turns of one run, to be taken again. */
const record = async () => {
  const taken = [];
  const host = new DrivenHost();
  const noting = {
    stop: (actor) => host.stop(actor),
    contextOf: (actor) => host.contextOf(actor),
    start: (actor, input, at) => {
      taken.push(input);
      host.start(actor, input, at);
    },
    deliver: (actor, envelope) => {
      taken.push(envelope);
      host.deliver(actor, envelope);
    },
  };
  await run(machines.table, noting);
  return taken;
};

const [input, ...envelopes] = await record();
const fold = (machine) => {
  const mover = moverOf(machine);
  const put = [];
  outputs.collectingInto(outputs.collector(put), () => {
    rules.underRules(definition.rules, () => {
      let position = mover.initial(input);
      for (const envelope of envelopes) position = mover.next(position, envelope);
      if (position.status !== 'done') throw new Error('the turns lead elsewhere');
    });
  });
};

/** CPU µs per step of batches, in turn, so that a busy moment of the machine hits both; the first round warms up. */
const measure = async (work) => {
  const found = { xstate: [], table: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const by of round % 2 === 0 ? ['xstate', 'table'] : ['table', 'xstate']) {
      let times = 0;
      const from = cpuMs();
      while (cpuMs() - from < (round === 0 ? 2_000 : BATCH_MS)) {
        await work(machines[by]);
        times += 1;
      }
      if (round > 0) found[by].push(((cpuMs() - from) * 1000) / (times * steps));
    }
  }
  const ratio = median(found.xstate.map((each, index) => each / found.table[index]));
  return { xstateUs: median(found.xstate), tableUs: median(found.table), ratio };
};

tell({
  steps,
  turns: envelopes.length + 1,
  transitions: await measure(fold),
  wholeSteps: await measure(run),
});
