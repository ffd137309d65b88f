// Skills: folders with instructions, which a model reads when a task needs them.
//
//   npx tsx examples/37-skills.ts
//
// When not to use it: for what each request needs. That belongs into the instructions: reading a skill costs a step.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { agent, tool, toolset } from 'troupe';
import { calls, scriptedModel } from 'troupe/testing';
import { memoryEnvironment, skills } from 'troupe/tools';
import { z } from 'zod';

const ledger = toolset({
  name: 'ledger',
  deferred: true, // it becomes available with the skill that names it
  tools: [
    tool({
      name: 'book',
      description: 'Books an amount.',
      input: z.object({ euros: z.number() }),
      safety: 'write',
      execute: ({ euros }) => `booked: ${euros} euros`,
    }),
  ],
});

// In place of a container: scripts run where the environment allows their command.
const box = memoryEnvironment({
  commands: { python3: (args) => String(args.slice(1).reduce((sum, amount) => sum + Number(amount), 0)) },
});

const model = scriptedModel([
  calls({ name: 'skills.use_skill', input: { skill: 'expense-reports' } }),
  calls({
    name: 'skills.read_skill_file',
    input: { skill: 'expense-reports', path: 'references/limits.md' },
  }),
  calls({
    name: 'skills.run_skill_script',
    input: { skill: 'expense-reports', path: 'scripts/add_up.py', args: ['120', '30'] },
  }),
  calls({ name: 'ledger.book', input: { euros: 150 } }),
  'Booked: 150 euros, the hotel and one meal.',
]);
const clerk = agent({
  name: 'clerk',
  instructions: 'Use the skills.',
  environment: box,
  tools: [skills(fileURLToPath(new URL('37-skills', import.meta.url)), { scripts: 'run' }), ledger],
  model,
});
const { output, events, records } = await clerk.run('A hotel for 120 euros, a meal for 30.');

for (const event of events)
  if (event.type === 'custom.emitted') console.log(event.name, JSON.stringify(event.data));
const texts = records.flatMap(({ results }) => results.map(({ text }) => text));
assert.match(texts[0] ?? '', /^You can call these from now on:\n- ledger\.book: Books an amount\./);
assert.match(texts[0] ?? '', /It names tools that you do not have: Bash\(python3:\*\)$/);
assert.match(texts[1] ?? '', /140 euros a night/);
assert.deepEqual(texts.slice(2), ['exit code 0\n150', 'booked: 150 euros']);
assert.deepEqual(
  model.requests.map(({ tools }) => tools.length),
  [4, 5, 5, 5, 5],
);
console.log(output);
