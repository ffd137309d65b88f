// Schedules: a digest each morning, a heartbeat, a queue and a webhook; each due time and each message once, whichever process dies. Time is simulated here.
//
//   npm install croner
//   npx tsx examples/45-schedules.ts
//
// When not to use it: to wait in the midst of a run, let the agent decide `wait` (03-replay-and-resume.ts shows that waits survive).
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { agent, answer } from 'troupe';
import { schedules, type Schedules } from 'troupe/server';
import { memoryStore } from 'troupe/stores'; // sqliteStore('./runs.db') for good, and for several processes
import { virtualClock } from 'troupe/testing';

const HOUR = 3_600_000;
const clock = virtualClock(Date.UTC(2026, 2, 28, 5)); // the night after it, clocks change in Vienna
const store = memoryStore();

const clerk = agent({ name: 'clerk', decide: ({ input }) => answer(`Done: ${input}`) });

/** What a server does when it boots. */
const boot = async () => {
  const live = schedules(store, { clock, lookEveryMs: HOUR }); // 10 s by default: simulated days have many of those
  await live.add({
    name: 'digest',
    agent: clerk,
    input: ({ isLate }) => (isLate ? 'the digest, late' : 'the digest'),
    when: { cron: '30 7 * * *', zone: 'Europe/Vienna' },
    thread: 'digest', // its runs are one conversation
    missed: 'once', // after an outage the latest one, late
  });
  await live.add({
    name: 'pulse',
    agent: clerk,
    input: 'the round',
    when: { everyMs: 6 * HOUR },
    missed: 'drop',
  });
  await live.add({ name: 'orders', agent: clerk, input: ({ message }) => JSON.stringify(message) });
  return live;
};

/** The times at which a schedule has run so far, in UTC. */
const runsOf = async (name: string): Promise<readonly string[]> =>
  (await store.list())
    .map(({ runId }) => runId)
    .filter((id) => id.startsWith(`${name}@`))
    .sort();

/** Waits until all that came is over: what is loaded takes a moment of real time, and none of the clock's. */
const settle = async (live: Schedules): Promise<void> => {
  while ((await live.list()).some(({ pending }) => pending.length > 0)) await clock.advance(0);
};

/** Lets time pass, hour by hour. */
const pass = async (live: Schedules, hours: number): Promise<void> => {
  for (let hour = 0; hour < hours; hour += 1) {
    await clock.advance(HOUR);
    await settle(live);
  }
};

// 1. A morning goes by.
const first = await boot();
await pass(first, 8);
assert.deepEqual(await runsOf('digest'), ['digest@2026-03-28T06:30:00.000Z']);
assert.deepEqual(await runsOf('pulse'), ['pulse@2026-03-28T06:00:00.000Z', 'pulse@2026-03-28T12:00:00.000Z']);

// 2. Nobody is there for two days. The digest comes once, late; the rounds are dropped.
await first[Symbol.asyncDispose]();
await clock.advance(48 * HOUR);
await using live = await boot();
while ((await runsOf('digest')).length < 2) await clock.advance(0);
assert.deepEqual((await runsOf('digest')).at(-1), 'digest@2026-03-30T05:30:00.000Z'); // 7:30 in Vienna, in summer time now
assert.equal((await runsOf('pulse')).length, 2);

// 3. A message of one id is one run, however often it is sent.
assert.equal(await live.send('orders', { id: 'order-17', message: { order: 17 } }), true);
await settle(live);
assert.equal(await live.send('orders', { id: 'order-17', message: { order: 17 } }), false);

// 4. A webhook, signed as Standard Webhooks says, is such a message. Any server that speaks Request and Response has a place for the handler.
const key = Buffer.from('a key of at least 24 bytes');
const handle = live.handler('orders', { keys: `whsec_${key.toString('base64')}` });
const post = (body: string, signedBody = body) => {
  const [id, at] = ['msg_1', Math.floor(clock.now() / 1_000)];
  const signature = createHmac('sha256', key).update(`${id}.${at}.${signedBody}`).digest('base64');
  return handle(
    new Request('https://shop.example/hooks', {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(at),
        'webhook-signature': `v1,${signature}`,
      },
    }),
  );
};
assert.equal((await post('{"order":18}', '{"order":1}')).status, 401);
assert.equal((await post('{"order":18}')).status, 202);
await settle(live);
assert.equal((await post('{"order":18}')).status, 200); // sent again
assert.deepEqual(await runsOf('orders'), ['orders@msg_1', 'orders@order-17']);

// 5. Operators list and pause them, here or by `troupe schedules`.
await live.pause('pulse');
for (const { name, isPaused, nextAt } of await live.list())
  console.log(
    name,
    isPaused ? 'paused' : 'active',
    nextAt === undefined ? '' : new Date(nextAt).toISOString(),
  );
