/**
 * Worker: what it costs a process to be looked at: CPU µs a step alone, recorded, and with a viewer in another process that reads all of it;
 * in turn within one process, with the number of entries and bytes a step. `against=FOLDER` measures another checkout beside this one.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { cpuMs, median, tell, words } from '../measure.mjs';
import { Task } from '../task.mjs';
import { walkerOf } from '../walker.mjs';

const options = words();
const steps = Number(options.steps ?? 300);
const rounds = Number(options.rounds ?? 15);
const capacity = Number(options.capacity ?? 20_000);
const root = join(import.meta.dirname, '../..');

/** One file of the sources that are measured, as the package is bundled. */
const bundle = async (name, folder) => {
  const outfile = join(import.meta.dirname, `../.tmp/viewed-${name}.mjs`);
  await build({
    stdin: {
      contents: [
        `export { z } from 'zod';`,
        `export { agent, maxSteps, tool } from './src/index.ts';`,
        `export { modelAnswer } from './src/models/index.ts';`,
        `export { inspect, recorder } from './src/inspect/index.ts';`,
      ].join('\n'),
      resolveDir: folder,
    },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    sourcemap: 'inline',
  });
  return import(pathToFileURL(outfile).href);
};

/** A viewer in a process of its own, as a page is: it reads everything, and says how much it was. */
const VIEWER = `
  import { get } from 'node:http';
  let [bytes, entries] = [0, 0];
  process.on('message', () => process.send({ bytes, entries }));
  get(process.argv[1], { headers: { authorization: 'Bearer ' + process.argv[2] } }, (response) => {
    if (response.statusCode !== 200) throw new Error(String(response.statusCode));
    let rest = '';
    response.setEncoding('utf8').on('data', (text) => {
      bytes += Buffer.byteLength(text);
      // The id of a message is the place of the last entry in it.
      const all = rest + text;
      const end = all.lastIndexOf('\\n') + 1;
      rest = all.slice(end);
      for (const [, id] of all.slice(0, end).matchAll(/^id: (\\d+)$/gm)) entries = Number(id) + 1;
    });
    process.send('open');
  });
`;

const attach = async (inspector) => {
  const url = new URL('/api/recording', inspector.url);
  const child = spawn(process.execPath, ['--input-type=module', '-e', VIEWER, url.href, inspector.token], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const answer = () => new Promise((resolve) => child.once('message', resolve));
  await answer();
  return {
    read: () => {
      child.send('how much?');
      return answer();
    },
    close: () => child.kill(),
  };
};

const measureBuild = async (name, folder) => {
  const sources = await bundle(name, folder);
  const task = new Task(steps);
  const walker = walkerOf(sources, task);
  const inspector = await sources.inspect({ page: '<p></p>', capacity });
  const viewer = await attach(inspector);
  let last = 0;
  return {
    viewer,
    inspector,
    ways: {
      alone: () => ({}),
      recorded: () => ({ inspect: sources.recorder({ capacity }) }),
      viewed: () => ({ inspect: inspector }),
    },
    run: async (given) => {
      const id = (last += 1);
      const from = cpuMs();
      const { output } = await walker.run(task.prompt(id), given);
      // What its viewer is still to be sent belongs to the run as well.
      if (given.inspect === inspector) await pause(100);
      task.check(id, output);
      const us = ((cpuMs() - from) * 1000) / steps;
      if (given.inspect === inspector) {
        const { length } = inspector.recorder.recording;
        const { entries } = await viewer.read();
        if (entries !== length) throw new Error(`the viewer has ${entries} of ${length} entries`);
      }
      return us;
    },
  };
};

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const builds = {
  here: root,
  ...(options.against === undefined ? {} : { against: options.against }),
};
const found = {};
for (const [name, folder] of Object.entries(builds)) found[name] = await measureBuild(name, folder);
const names = Object.keys(found).flatMap((name) => Object.keys(found[name].ways).map((way) => [name, way]));
const figures = Object.fromEntries(names.map((each) => [each.join(' '), []]));
for (let round = -3; round < rounds; round += 1)
  for (const [name, way] of round % 2 === 0 ? names : names.toReversed()) {
    const { run, ways } = found[name];
    const us = await run(ways[way]());
    if (round >= 0) figures[`${name} ${way}`].push(us);
  }
const read = {};
for (const [name, { viewer, inspector, run, ways }] of Object.entries(found)) {
  const before = await viewer.read();
  await run(ways.viewed());
  await pause(500);
  const after = await viewer.read();
  read[name] = {
    entries: (after.entries - before.entries) / steps,
    bytes: (after.bytes - before.bytes) / steps,
  };
  viewer.close();
  await inspector.close();
}
const round1 = (value) => Math.round(value * 10) / 10;
const beside = (name, way) =>
  round1(median(figures[`${name} ${way}`].map((us, index) => us - figures[`${name} alone`][index])));
tell({
  steps,
  rounds,
  usPerStep: Object.fromEntries(Object.entries(figures).map(([name, all]) => [name, round1(median(all))])),
  added: Object.fromEntries(
    Object.keys(found).map((name) => [
      name,
      { recorded: beside(name, 'recorded'), viewed: beside(name, 'viewed') },
    ]),
  ),
  read,
});
