// A program with an inspector of its own, whose run waits for approval: `node FILE NAME [control] [ends]`.
import { act, agent, answer, tool } from 'troupe';
import { inspect } from 'troupe/inspect';
import { z } from 'zod';

const [, , name = 'clerk', ...flags] = process.argv;
const inspector = await inspect({ control: flags.includes('control') });
const pay = tool({
  name: 'pay',
  description: 'Pays.',
  input: z.object({ amount: z.number() }),
  approval: true,
  execute: ({ amount }) => `paid ${amount}`,
});
const clerk = agent({
  name,
  tools: [pay],
  decide: ({ step, results }) =>
    step === 0 && !flags.includes('ends')
      ? act({ name: 'pay', input: { amount: 3 } })
      : answer(results.map(({ text }) => text).join() || 'nothing to pay'),
});
const run = clerk.stream('Pay three', { inspect: inspector, runId: `run-${name}` });
if (!flags.includes('ends')) setInterval(() => undefined, 60_000);
console.log(`open ${inspector.url}`);
const { output } = await run.result;
console.log(`done ${output}`);
