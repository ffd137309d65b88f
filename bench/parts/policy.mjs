/** Worker: CPU µs that a policy of a hundred rules takes to judge a call, and what a step costs with none, with one without rules, and with those. */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { adderOf } from '../adder.mjs';
import { cpuMs, median, tell } from '../measure.mjs';

const load = (file) => import(pathToFileURL(join(process.env.TROUPE_DIST, file)).href);
const troupe = await load('index.js');
const { policy } = await load('policy/index.js');
const { z } = await import('zod');

const RULES = 100;
const CALLS = 2_000;
const STEPS = 500;
const ROUNDS = 15;

const rulesOf = (conditionsOf) =>
  policy({
    mode: 'bypass',
    rules: Array.from({ length: RULES }, (_, index) => ({
      name: `rule ${index}`,
      effect: ['deny', 'ask', 'allow'][index % 3],
      ...conditionsOf(index),
    })),
  });
/** None of them matches, so that all are tried. */
const judged = {
  none: policy({ mode: 'bypass' }),
  'other tools': rulesOf((index) => ({ tool: `other${index}.*` })),
  'other agents': rulesOf((index) => ({ tool: 'files.*', agent: `other${index}` })),
  arguments: rulesOf((index) => ({ tool: 'files.*', input: { path: `*/secret${index}/*` } })),
  origins: rulesOf((index) => ({ tool: 'files.*', after: `web${index}.*` })),
  times: rulesOf((index) => ({
    tool: 'files.*',
    between: {
      from: '00:00',
      to: `00:${10 + (index % 50)}`,
      days: [index < 50 ? 'mon' : 'tue'],
      zone: 'Europe/Paris',
    },
  })),
};
const facts = { safety: 'write', category: 'files', tags: ['text'] };
const call = {
  tool: 'files.write',
  agent: 'clerk',
  path: 'desk/clerk-1',
  above: ['desk'],
  earlier: [],
  origins: ['web.fetch'],
  facts,
  input: { path: 'notes/2026/plan.md', lines: 4 },
  at: Date.UTC(2026, 0, 5, 12),
};
/** A call each millisecond. */
const usPerCall = (judge) => {
  const from = cpuMs();
  for (let index = 0; index < CALLS; index += 1) judge({ ...call, at: call.at + index });
  return ((cpuMs() - from) * 1_000) / CALLS;
};

const { usPerStep } = adderOf({ ...troupe, z }, STEPS, { safety: 'write' });
const steps = {
  none: {},
  again: {},
  'without rules': { safety: policy({ mode: 'bypass' }) },
  'with a hundred': { safety: judged['other tools'] },
};

/** The median of rounds in which all take their turn; the first three warm up. */
const inTurn = async (ways, measure) => {
  const found = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = -3; round < ROUNDS; round += 1)
    for (const [name, way] of Object.entries(ways)) {
      const us = await measure(way);
      if (round >= 0) found[name].push(us);
    }
  return Object.fromEntries(Object.entries(found).map(([name, figures]) => [name, median(figures)]));
};

tell({ rules: RULES, usPerCall: await inTurn(judged, usPerCall), usPerStep: await inTurn(steps, usPerStep) });
