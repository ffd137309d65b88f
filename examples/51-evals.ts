// How good is an agent, how sure is that, and is another one better? An eval with files, feedback, a judge, and two candidates.
//
//   npx tsx examples/51-evals.ts
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, tool } from 'troupe';
import type { Model } from 'troupe/models';
import { modelAnswer } from 'troupe/models';
import { memoryStore } from 'troupe/stores';
import { datasets, defineEval, evaluators, feedback, injectFaults } from 'troupe/testing';
import { z } from 'zod';

const capitals: Readonly<Record<string, string>> = { France: 'Paris', Italy: 'Rome', Peru: 'Lima' };
const lookUp = tool({
  name: 'look_up',
  description: 'The capital of a country.',
  safety: 'read',
  input: z.object({ country: z.string() }),
  execute: ({ country }) => capitals[country] ?? 'unknown',
});

/** In place of a provider's model: a guesser says Rome, a careful one looks it up. */
const modelOf = (id: string, isCareful: boolean): Model => ({
  provider: 'example',
  id,
  answer: ({ messages }) => {
    const last = messages.at(messages.length - 1);
    const usage = { input: 100, output: 10, billedUsd: 0.001 };
    if (!isCareful) return modelAnswer({ text: 'It is Rome.', usage });
    if (last?.role === 'tool') return modelAnswer({ text: `It is ${last.text}.`, usage });
    const country = Object.keys(capitals).find((name) => last?.text.includes(name)) ?? '';
    return modelAnswer({ calls: [{ id: 'c', name: 'look_up', input: { country } }], usage });
  },
});
const guesser = agent({ name: 'clerk', model: modelOf('guesser', false), tools: [lookUp] });
const careful = agent({ name: 'clerk', model: modelOf('careful', true), tools: [lookUp] });

// 1. A dataset in a file: an input in each line, and what is expected.
const folder = mkdtempSync(join(tmpdir(), 'troupe-evals-'));
const file = join(folder, 'capitals.csv');
const rows = Array.from({ length: 4 }, (_, time) =>
  Object.entries(capitals).map(
    ([country, capital]) => `${country}-${time},The capital of ${country}?,${capital}`,
  ),
).flat();
writeFileSync(file, ['id,input,expected', ...rows].join('\n'));

const evalOf = (clerk: typeof guesser) =>
  defineEval({
    name: 'capitals',
    agent: clerk,
    dataset: datasets.file(file),
    evaluators: [evaluators.contains(), evaluators.cost(0.01)],
    gates: [{ measure: 'passRate', evaluator: 'contains', atLeast: 0.9 }],
  });

const store = memoryStore();
const first = await evalOf(guesser).run({ store });
const rate = first.summary.passRate;
console.log(
  `1. ${first.verdict}: ${Math.round((rate?.value ?? 0) * 100)} % pass, in truth ${Math.round((rate?.low ?? 0) * 100)} to ${Math.round((rate?.high ?? 0) * 100)} %`,
);
assert.equal(first.verdict, 'failed');
assert.equal(rate?.value, 1 / 3);

// 2. The same runs are graded by another question, for nothing: did it look before it answered?
const looked = await defineEval({
  name: 'looks it up',
  agent: guesser,
  dataset: [],
  evaluators: [evaluators.toolUse({ used: ['look_up'] })],
}).grade({ store });
console.log(
  `2. Of ${looked.summary.runs} recorded runs ${looked.summary.stops.answered ?? 0} answered, and none had looked.`,
);
assert.equal(looked.summary.passRate?.value, 0);

// 3. A person corrects a run: it is a case from now on.
const [wrong] = first.cases.filter(({ tries }) => tries[0]?.passed === false);
const runId = wrong?.tries[0]?.runId ?? '';
await feedback.add(store, runId, { good: false, expected: 'Paris', comment: 'Look it up!', by: 'Ada' });
const [corrected] = await datasets.runs({ store, feedback: 'bad' }).read();
console.log(`3. A new case: ${JSON.stringify(corrected?.input)} → ${JSON.stringify(corrected?.expected)}`);
assert.equal(corrected?.expected, 'Paris');

// 4. Is the careful one better? On the same cases, with the chance that it only seems so.
const found = await evalOf(guesser).compare({ agent: careful, name: 'careful' });
console.log(`4. ${found.summary}`);
assert.equal(found.finding, 'better');

// 5. And if something breaks? Each fault, at each place, in virtual time.
const { outcomes, counts } = await injectFaults(careful, { input: 'The capital of Peru?', limit: 2 });
const weak = outcomes.filter(({ weakness }) => weakness !== undefined);
console.log(
  `5. ${outcomes.length} faults: ${counts.same} with the same answer, ${counts.failed} failed, ${counts.hung} hung.`,
);
for (const { fault, weakness } of weak.slice(0, 2)) console.log(`   ${fault.words}: ${weakness ?? ''}`);
assert.equal(counts.hung, 0);
assert.equal(counts.unreached, 0);

rmSync(folder, { recursive: true, force: true });
