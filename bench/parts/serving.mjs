/**
 * Worker: a server of agents under load on the loopback, in a process of its own: `streams` runs that wait, each with an open stream of its
 * events; `perSecond` runs begun for `seconds` beside them, each to its result; a client that reads nothing of a run that floods it. Says how long
 * a start and a whole run took, what the server's process holds, and what was lost.
 *
 *   node parts/serving.mjs streams=1000 perSecond=200 seconds=10
 */
import { fork } from 'node:child_process';
import { Agent, get, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { tell, words } from '../measure.mjs';

const options = words();
const streams = Number(options.streams ?? 1_000);
const perSecond = Number(options.perSecond ?? 200);
const seconds = Number(options.seconds ?? 10);
const root = join(import.meta.dirname, '../..');

const outfile = join(import.meta.dirname, '../.tmp/serving.mjs');
const bundleServer = () =>
  build({
    stdin: { contents: SERVER, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
  });

const SERVER = `
  import { createServer } from 'node:http';
  import { z } from 'zod';
  import { agent, createGlobalEngine, tool } from './src/index.ts';
  import { modelAnswer } from './src/models/index.ts';
  import { serve } from './src/runtime/serve/index.ts';

  let open;
  const gate = new Promise((resolve) => (open = resolve));
  const model = (answer) => ({ provider: 'bench', id: 'served', isLanguageModel: false, answer });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const echo = tool({ name: 'echo', description: 'Says it.', input: z.object({ text: z.string() }), execute: ({ text }) => text });
  const agents = {
    waiting: agent({ name: 'waiting', model: model(async () => { await gate; return modelAnswer({ text: 'over' }); }) }),
    brief: agent({ name: 'brief', tools: [echo], model: model(async ({ messages }) => {
      await pause(5);
      const last = messages.at(-1);
      return last.role === 'tool' ? modelAnswer({ text: last.text }) : modelAnswer({ calls: [{ id: 'c', name: 'echo', input: { text: last.text } }] });
    }) }),
    flood: agent({ name: 'flood', model: model(async (_, { delta }) => {
      for (let piece = 0; piece < 20_000; piece += 1) {
        delta({ type: 'text', text: 'x'.repeat(1_000) });
        if (piece % 100 === 0) await pause(40);
      }
      return modelAnswer({ text: 'flooded' });
    }) }),
  };
  const limits = { runs: Infinity, streams: Infinity, streamsPerCaller: Infinity, perMinute: Infinity, kept: 10_000 };
  const engine = createGlobalEngine({ concurrency: 100_000 });
  const service = serve(engine, { agents, limits });
  const server = createServer(service.listener).listen(0, '127.0.0.1', 4_096, () => process.send({ port: server.address().port }));
  process.on('message', (word) => {
    if (word === 'open') open();
    const { user, system } = process.cpuUsage();
    process.send({ rss: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024, cpuMs: (user + system) / 1000 });
  });
`;

await bundleServer();
const child = fork(outfile, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
const heard = () => new Promise((resolve) => child.once('message', resolve));
const { port } = await heard();
const ask = (word) => {
  const answer = heard();
  child.send(word);
  return answer;
};

const agent = new Agent({ keepAlive: true, maxSockets: 512 });
const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request({ port, host: '127.0.0.1', method, path, agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece) => (text += piece));
      response.on('end', () =>
        resolve({ status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
const start = async (name, input) => {
  const { status, body } = await call('POST', `/agents/${name}/runs`, { input });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body.runId;
};

/** Follows a run; resolves once it is open, with a promise of the numbers of its events when it is over. */
const follow = (runId) =>
  new Promise((opened, failed) => {
    get({ port, host: '127.0.0.1', path: `/runs/${runId}/events`, agent: false }, (response) => {
      const seen = [];
      let rest = '';
      const over = new Promise((resolve) => {
        response.setEncoding('utf8').on('data', (text) => {
          const blocks = (rest + text).split('\n\n');
          rest = blocks.pop();
          for (const block of blocks) {
            const id = /^id: (\d+)/m.exec(block)?.[1];
            if (id !== undefined) seen.push(Number(id));
            if (block.includes('event: run.ended')) resolve(seen);
          }
        });
        response.on('close', () => resolve(seen));
      });
      response.once('data', () => opened({ over }));
    }).on('error', failed);
  });

const percentile = (values, part) => values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs begun at a steady rate, whatever becomes of those before; each is asked for its result. */
const load = async () => {
  const [starts, wholes] = [[], []];
  let lost = 0;
  const runs = [];
  const from = performance.now();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    const due = from + (index * 1_000) / perSecond;
    if (due > performance.now()) await pause(due - performance.now());
    runs.push(
      (async () => {
        const begun = performance.now();
        const runId = await start('brief', `number ${index}`);
        starts.push(performance.now() - begun);
        const { body } = await call('GET', `/runs/${runId}/result`);
        wholes.push(performance.now() - begun);
        if (body.output !== `number ${index}`) lost += 1;
      })(),
    );
  }
  await Promise.all(runs);
  return {
    perSecond: (perSecond * seconds * 1_000) / (performance.now() - from),
    lost,
    startP50Ms: percentile(starts, 0.5),
    startP99Ms: percentile(starts, 0.99),
    wholeP50Ms: percentile(wholes, 0.5),
    wholeP99Ms: percentile(wholes, 0.99),
  };
};

const first = await ask('how much?');
const waiting = await Promise.all(
  Array.from({ length: streams }, (_, index) => start('waiting', `wait ${index}`)),
);
const followed = [];
for (let index = 0; index < streams; index += 50)
  followed.push(...(await Promise.all(waiting.slice(index, index + 50).map(follow))));
const opened = await ask('how much?');
const alone = await load();
const loaded = await ask('how much?');

// A client that reads nothing, of a run whose model streams 20 MB.
const flooding = await start('flood', 'go');
const slow = connect({ port, host: '127.0.0.1' });
slow.write(`GET /runs/${flooding}/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
slow.pause();
const besideSlow = await load();
const flooded = await ask('how much?');
slow.destroy();

await ask('open');
const logs = await Promise.all(followed.map(({ over }) => over));
const gaps = logs.filter((seen) => seen.length === 0 || seen.some((seq, index) => seq !== index)).length;
const last = await ask('how much?');
child.kill();
const mb = ({ rss }) => Math.round(rss / 1e6);
tell({
  streams,
  incompleteStreams: gaps,
  alone,
  besideSlow,
  rssMb: {
    empty: mb(first),
    streamsOpen: mb(opened),
    loaded: mb(loaded),
    slowClient: mb(flooded),
    end: mb(last),
  },
  peakMb: Math.round(last.peak / 1e6),
  serverCpuS: last.cpuMs / 1_000,
});
