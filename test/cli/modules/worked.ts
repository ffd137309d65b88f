import { appendFileSync } from 'node:fs';
import { act, agent, answer, askPerson, tool } from 'troupe';
import { pipeline } from 'troupe/patterns';
import { z } from 'zod';

/** Adds a line to the ledger: which process did what. */
const note = (what: string, key: string): void => {
  const ledger = process.env['LEDGER'];
  if (ledger !== undefined) appendFileSync(ledger, `${process.pid} ${what} ${key}\n`);
};

/** Takes a moment, and may be repeated with the same key. */
const pack = tool({
  name: 'pack',
  description: 'Packs a box.',
  idempotent: true,
  input: z.object({ box: z.number() }),
  execute: async ({ box }, { key }) => {
    note('begin', key);
    await new Promise((resolve) => setTimeout(resolve, 20));
    note('end', key);
    return `box ${box}`;
  },
});

const BOXES = 4;

const packing = (name: string) =>
  agent({
    name,
    tools: [pack],
    decide: ({ step, results }) =>
      step < BOXES ? act({ name: 'pack', input: { box: step } }) : answer(`${name}: ${results[0]?.text}`),
  });

export const packer = packing('packer');

/** A team: two packers, one after the other. */
export const depot = pipeline({ name: 'depot', stages: [packing('first'), packing('second')] });

export const curious = agent({
  name: 'curious',
  tools: [askPerson],
  decide: ({ step, results }) =>
    step === 0
      ? act({ name: 'ask_person', input: { question: 'Which town?' } })
      : answer(`You said: ${results[0]?.text}`),
});
