import { appendFileSync, existsSync } from 'node:fs';
import { act, agent, answer, askPerson, tool, wait } from 'troupe';
import { parallel, pipeline } from 'troupe/patterns';
import { z } from 'zod';

/** The version that this process has: of the second some agents do something else than of the first. */
const version = process.env['VERSION'] ?? '1';
/** With 200 runs it takes a while until all are under way. */
const isThorough = process.env['TROUPE_FULL'] === '1';
const ledger = process.env['LEDGER'] ?? '';

const note = (what: string, key: string): void => {
  appendFileSync(ledger, `${process.pid} ${what} ${key}\n`);
};

/** Pays, once a person has agreed. */
const paying = (name: string, agentName: string) =>
  agent({
    name: agentName,
    instructions: `You are version ${version}.`,
    tools: [
      tool({
        name,
        description: `Pays, by version ${version}.`,
        input: z.object({ amount: z.number() }),
        approval: true,
        execute: ({ amount }, { key }) => {
          note('end', key);
          return `paid ${amount}`;
        },
      }),
    ],
    decide: ({ results }) =>
      results.length === 0
        ? act({ name, input: { amount: 3 } })
        : answer(`${agentName}: ${String(results[0]?.text)}`),
  });

/** Packs a box; the second one waits for a file, so that a process can be killed meanwhile. */
const pack = tool({
  name: 'pack',
  description: `Packs, by version ${version}.`,
  idempotent: true,
  input: z.object({ box: z.number() }),
  execute: async ({ box }, { key }) => {
    note(`begin-${box}`, key);
    while (box === 1 && !existsSync(`${ledger}.go`)) await new Promise((next) => setTimeout(next, 20));
    note('end', key);
    return `box ${box}`;
  },
});

const packing = (name: string) =>
  agent({
    name,
    instructions: `You are version ${version}.`,
    tools: [pack],
    decide: ({ step, results }) =>
      step < 3 ? act({ name: 'pack', input: { box: step } }) : answer(`${name}: ${results[0]?.text}`),
  });

export const payer = paying('pay', 'payer');
export const packer = packing('packer');

export const sleeper = agent({
  name: 'sleeper',
  decide: ({ step }) => (step === 0 ? wait('for a while', isThorough ? 60_000 : 8_000) : answer('slept')),
});

export const asker = agent({
  name: 'asker',
  tools: [askPerson],
  decide: ({ results }) =>
    results.length === 0
      ? act({ name: 'ask_person', input: { question: 'Which town?' } })
      : answer(`town: ${String(results[0]?.text)}`),
});

export const desk = pipeline({
  name: 'desk',
  stages: [agent({ name: 'greeter', decide: () => answer('hello') }), paying('pay', 'cashier')],
});

export const depot = parallel({ name: 'depot', members: { left: packing('left'), right: packing('right') } });

/** Its tool has another name in the second version. */
export const refunder = paying(version === '1' ? 'refund' : 'giveBack', 'refunder');

/** Its first stage has another name in the second version. */
export const buyer = pipeline({
  name: 'buyer',
  stages: [
    agent({ name: version === '1' ? 'porter' : 'doorman', decide: () => answer('hello') }),
    paying('pay', 'spender'),
  ],
});
