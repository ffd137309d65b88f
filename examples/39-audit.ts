// An audit log: who did what, who allowed it and how fast, in a chain that shows what was changed. And its erasure.
//
//   npx tsx examples/39-audit.ts
//
// When not to use it: to look at a run, or to resume one. Those are traces (examples/27-traces.ts) and journals (examples/11-crash-and-resume.ts).
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent, tool } from 'troupe';
import { auditLog, readAudit, verifyAudit } from 'troupe/inspect';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const place = mkdtempSync(join(tmpdir(), 'troupe-audit-'));
const folder = join(place, 'audit');
const anchor = join(place, 'apart', 'heads.jsonl'); // in earnest: where who may write the log may not

const transfer = tool({
  name: 'transfer',
  description: 'Transfers money.',
  safety: 'write',
  input: z.object({ to: z.string(), sum: z.number() }),
  approval: ({ sum }) => sum > 100,
  describe: ({ to, sum }) => `Transferring ${sum} to ${to}`,
  execute: ({ to, sum }) => `${sum} are with ${to}`,
});
const model = scriptedModel([
  calls({ name: 'transfer', input: { to: 'Bob', sum: 20 } }),
  calls({ name: 'transfer', input: { to: 'Bob', sum: 2_000 } }),
  'I sent 20; 2,000 were not approved.',
]);
const clerk = agent({ name: 'clerk', tools: [transfer], model });

// 1. A hook like any other: of a run, or of an engine.
const audit = auditLog({ folder, anchor, onBehalfOf: 'ada@example.com' });
const person = { approve: () => 'not before Friday' };
const { runId } = await clerk.run('Pay Bob.', { hooks: [audit], person });

// 2. Who, what, and with which outcome.
for (const { seq, action, tool: name, outcome } of readAudit(folder))
  console.log(seq, action, name ?? '', outcome);
const [denied] = readAudit(folder, { action: 'permission.deny' });
assert.deepEqual(denied?.content?.['reason'], 'not before Friday');
assert.equal(typeof denied?.details['afterMs'], 'number');
assert.deepEqual(verifyAudit(folder, { anchor }).problems, []);

// 3. Nobody can change it unnoticed: not an entry, and not its end.
const file = join(folder, `${runId}.jsonl`);
const whole = readFileSync(file, 'utf8');
writeFileSync(file, whole.replace('"outcome":"denied"', '"outcome":"success"'));
const [changed] = verifyAudit(folder).problems;
console.log('found:', changed?.message);
assert.equal(changed?.seq, denied?.seq);
writeFileSync(file, `${whole.trimEnd().split('\n').slice(0, -1).join('\n')}\n`);
assert.deepEqual(verifyAudit(folder).problems, []); // a chain like any other
const [cut] = verifyAudit(folder, { anchor }).problems;
console.log('found:', cut?.message);
assert.equal(cut?.kind, 'anchor');
writeFileSync(file, whole);

// 4. Texts and persons are beside the chain, which has their digests alone: `troupe audit erase` removes them, and the chain holds.
assert.ok(!whole.includes('Bob') && !whole.includes('ada@example.com'));
assert.ok(readFileSync(join(folder, 'content', `${runId}.jsonl`), 'utf8').includes('ada@example.com'));

rmSync(place, { recursive: true });
