/** `npm run bench`: see README.md. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  measureCrowd,
  measureFlatness,
  measureImport,
  measureJournal,
  measureObserver,
  measurePolicy,
  measureScale,
  measureSeeing,
  measureSteps,
  measureTable,
  measureWaiting,
} from './parts.mjs';
import { report } from './report.mjs';
import { build, install, oldNode, rerunUnderNewNode } from './setup.mjs';

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string' },
    agents: { type: 'string', default: '1' },
    against: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const say = (line) => process.stderr.write(`${line}\n`);

/** Who takes part: name, file, variant, and whose build and Node are used. */
const contenders = (dist) => {
  const old = oldNode();
  const troupe = { file: 'troupe', dist };
  return [
    { name: 'bare', file: 'bare' },
    { name: 'troupe', ...troupe },
    { name: 'troupe-watched', ...troupe, variant: 'watched' },
    ...(options.against === undefined
      ? []
      : ['', 'watched'].map((variant) => ({
          name: ['troupe', variant, 'against'].filter(Boolean).join('-'),
          file: 'troupe',
          variant,
          dist: resolve(options.against),
        }))),
    { name: 'ai-sdk', file: 'ai-sdk' },
    { name: 'langgraph', file: 'langgraph' },
    ...(old === undefined
      ? []
      : [
          { name: 'bare-node20', file: 'bare', node: old.path },
          { name: 'troupe-node20', ...troupe, node: old.path },
        ]),
  ];
};

const main = () => {
  install(say);
  const dist = build();
  const only = options.only === '' ? [] : options.only.split(',');
  const all = contenders(dist);
  const named = all.filter(({ name }) => only.includes(name));
  const wants = (part) => only.length === 0 || only.includes(part);
  const rounds = Number(options.rounds ?? (options.quick ? 1 : 3));
  const against = options.against === undefined ? undefined : resolve(options.against);
  const setup = { dist, against, rounds, say };
  const found = { node: process.versions.node, rounds, agents: Number(options.agents) };
  if (wants('steps') || named.length > 0) {
    const lengths = options.quick ? [10, 100] : [10, 100, 1_000];
    found.steps = measureSteps(named.length > 0 ? named : all, lengths, found.agents, setup);
  }
  if (wants('flat')) found.flat = measureFlatness(setup);
  if (wants('table')) found.table = measureTable(setup);
  if (wants('scale')) found.scale = measureScale(setup);
  if (wants('waiting')) found.waiting = measureWaiting(setup);
  if (wants('crowd')) found.crowd = measureCrowd(setup);
  if (wants('seeing')) found.seeing = measureSeeing(setup);
  if (wants('policy')) found.policy = measurePolicy(setup);
  if (wants('journal')) found.journal = measureJournal(setup);
  if (wants('observer')) found.observer = measureObserver(setup);
  if (wants('import')) found.import = measureImport(setup);
  const { text, hasFailed, verdicts } = report(found);
  const whole = `${JSON.stringify({ ...found, verdicts }, null, 2)}\n`;
  const folder = join(import.meta.dirname, '.tmp/results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${new Date().toISOString().replaceAll(':', '-')}.json`), whole);
  process.stdout.write(options.json ? whole : text);
  if (hasFailed) process.exitCode = 1;
};

if (!rerunUnderNewNode()) main();
