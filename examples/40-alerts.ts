// Alerts: rules over latency, errors and cost, each sent once to every channel, and then muted. Time is simulated here.
//
//   npx tsx examples/40-alerts.ts
//
// When not to use it: where Prometheus or OpenTelemetry is in place already, alert there (28-open-telemetry.ts).
// Its chart: docs/diagrams/alert.mmd
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { act, agent, answer, tool } from 'troupe';
import { memoryStore } from 'troupe/stores';
import { alerts, webhook } from 'troupe/telemetry';
import type { Alert } from 'troupe/telemetry';
import { virtualClock } from 'troupe/testing';
import { z } from 'zod';

const clock = virtualClock(Date.UTC(2030, 0, 1));
const store = memoryStore();

/** A clerk whose search takes as long as it is asked to, and fails where that is 0. */
let called = () => {};
const search = tool({
  name: 'search',
  description: 'Searches.',
  input: z.object({ ms: z.number() }),
  execute: async ({ ms }) => {
    called();
    if (ms === 0) throw new Error('Nothing is there');
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    return 'found';
  },
});
const clerk = agent({
  name: 'clerk',
  tools: [search],
  decide: ({ input, results: [found] }) =>
    found === undefined ? act({ name: 'search', input: { ms: Number(input) } }) : answer(found.text),
});

// 1. Rules are data. A channel is a function; a webhook signs what it posts, and reaches only the public internet.
const secret = 'a secret of some length';
const posted: { readonly body: string; readonly signature: string }[] = [];
const sent: Alert[] = [];
const watching = alerts({
  rules: [
    { name: 'slow runs', metric: 'run.latency', agent: '*', over: 5_000 },
    { name: 'failing tools', metric: 'error.rate', tool: '*', over: 0.3, least: 3, severity: 'critical' },
  ],
  channels: [
    (alert) => sent.push(alert),
    () => {
      throw new Error('This channel is down'); // harms neither runs nor other channels
    },
    webhook({
      url: 'https://ops.example/alerts',
      secret,
      clock,
      http: {
        // In place of the network: the receiver checks the signature.
        request: ({ url, body = '', headers = {} }) => {
          posted.push({ body: String(body), signature: headers['x-troupe-signature'] ?? '' });
          return Promise.resolve({ url, status: 200, headers: {}, text: '', isCut: false });
        },
      },
    }),
  ],
});

const run = async (ms: number, runId: string): Promise<void> => {
  const begun = new Promise<void>((resolve) => (called = resolve));
  const handle = clerk.stream(String(ms), { clock, store, hooks: [watching], runId });
  await begun; // what is loaded before takes a moment of real time, and none of the clock's
  await clock.advance(ms);
  let isOver = false;
  void handle.result.finally(() => (isOver = true)).catch(() => undefined);
  while (!isOver) await clock.advance(1);
};

await run(4_000, 'quick');
assert.equal(sent.length, 0);
await run(6_000, 'slow');
await run(6_000, 'slow too'); // the same within 300 s: muted
for (const runId of ['bad', 'worse']) await run(0, runId);

for (const { severity, text, runs } of sent) console.log(`${severity}: ${text} (${runs.join(', ')})`);
assert.deepEqual(
  sent.map(({ rule, status }) => [rule.name, status]),
  [
    ['slow runs', 'firing'],
    ['failing tools', 'firing'],
  ],
);

// 2. The receiver of a webhook: the signature is over the time and the body as it came.
await clock.advance(1);
// What is posted is signed first, which takes a moment of real time.
for (let turn = 0; posted.length < 2 && turn < 1_000_000; turn += 1)
  await new Promise<void>((resolve) => setImmediate(resolve));
assert(posted.length >= 2);
for (const { body, signature } of posted) {
  const [, seconds = ''] = /^t=(\d+),v1=/.exec(signature) ?? [];
  const expected = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  assert.equal(signature, `t=${seconds},v1=${expected}`);
}
assert(watching.failures.every(({ error }) => error === 'This channel is down'));

// 3. A rule is silenced for a time, by its name; and what no longer holds is resolved.
watching.silence('slow runs', clock.now() + 3_600_000);
await clock.advance(120_000);
assert.deepEqual(watching.firing, []);
assert.equal(sent.filter(({ status }) => status === 'resolved').length, 1); // not that of the silenced rule

// 4. Rules are tried on runs that are on record.
const found = await watching.over(store);
console.log(`Over the store: ${found.map(({ text }) => text).join('; ')}`);
assert(found.some(({ runs }) => runs.includes('slow')));
await watching.close();
await store.close();
