// A policy says which calls are allowed, asked about and denied, by rules that are data. Here, large payments need two people with a role.
//
//   npx tsx examples/38-policy.ts
import assert from 'node:assert/strict';
import { agent, isTroupeError, ofType, tool } from 'troupe';
import { policy } from 'troupe/policy';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const paid: number[] = [];
const pay = tool({
  name: 'pay',
  description: 'Pays a bill.',
  safety: 'write',
  input: z.object({ euros: z.number() }),
  describe: ({ euros }) => `Paying ${euros} euros`,
  execute: ({ euros }) => `Paid bill ${paid.push(euros)}.`,
});
const wipe = tool({
  name: 'wipe',
  description: 'Deletes the ledger.',
  safety: 'write',
  input: z.object({}),
  execute: () => 'gone',
});

// The order of the rules does not matter: deny beats ask, and ask beats allow.
const rules = policy({
  rules: [
    { name: 'small-payments', effect: 'allow', tool: 'pay', agent: 'clerk' },
    {
      name: 'large-payments',
      effect: 'ask',
      tool: 'pay',
      input: { euros: { from: 1_000 } },
      by: 'lead',
      approvals: 2,
      reason: 'more than 1,000 euros',
    },
    { name: 'no-wiping', effect: 'deny', tool: 'wipe', reason: 'the ledger is kept' },
  ],
});
// It is data: printed and read back, it decides the same.
const safety = policy(JSON.parse(JSON.stringify(rules)));

const clerk = agent({
  name: 'clerk',
  tools: [pay, wipe],
  model: scriptedModel([
    calls(
      { name: 'pay', input: { euros: 40 } },
      { name: 'wipe', input: {} },
      { name: 'pay', input: { euros: 5_000 } },
    ),
    'Both bills are paid.',
  ]),
});

const handle = clerk.stream('Pay the bills, then clean up.', { safety });
const denials: string[] = [];
handle.events$.pipe(ofType('tool.denied')).subscribe(({ tool: name, rule = '' }) => {
  denials.push(`${name} by ${rule}`);
});
// You know the people who answer: troupe has no accounts.
const ben = { name: 'Ben', roles: ['lead'] };
const people = [{ name: 'Cem', roles: ['clerk'] }, { name: 'Ada', roles: ['lead'] }, ben];
handle.events$.pipe(ofType('tool.approval-requested')).subscribe(({ id, rule, description }) => {
  console.log(`${rule}: ${description}`);
  // Later, as from somewhere else.
  setTimeout(() => {
    for (const by of people) {
      try {
        handle.approve(id, { by });
        console.log(`${by.name} has approved it`);
      } catch (thrown) {
        if (!isTroupeError(thrown, 'request.forbidden')) throw thrown;
        console.log(thrown.message);
      }
    }
  });
});
const { output, events } = await handle.result;
console.log(output);

assert.deepEqual(denials, ['wipe by no-wiping']);
assert.deepEqual(paid, [40, 5_000]);
const given = events.flatMap((event) =>
  event.type === 'tool.approval-given' || event.type === 'tool.approved' ? [event.by?.name] : [],
);
assert.deepEqual(given, ['Ada', 'Ben']);
assert.equal(events.filter(({ type }) => type === 'answer.refused').length, 1);
