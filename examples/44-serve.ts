// Agents over HTTP: two tenants, a run that waits for approval, a client that loses its connection, and a restart.
//
//   npx tsx examples/44-serve.ts
import assert from 'node:assert/strict';
import { agent, createGlobalEngine, tool } from 'troupe';
import { connect } from 'troupe/client';
import { serve } from 'troupe/server';
import { memoryStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

const paid: number[] = [];
const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  safety: 'danger', // a person has to approve it first
  input: z.object({ order: z.number(), euros: z.number().max(100) }),
  execute: ({ euros }) => {
    paid.push(euros);
    return `Paid back ${euros} euros.`;
  },
});
const clerk = agent({
  name: 'clerk',
  instructions: 'Help with orders.',
  input: z.object({ order: z.number() }),
  tools: [refund],
  model: scriptedModel([
    calls({ name: 'refund', input: { order: 17, euros: 90 } }),
    'Your money is on its way.',
  ]),
});

// 1. A server: who calls is a function of yours, and the engine tells tenants apart by it. In a program: `export default { fetch: service.fetch }`.
const store = memoryStore();
const users: Readonly<Record<string, { who: string; tenant: string }>> = {
  'Bearer ada': { who: 'ada', tenant: 'acme' },
  'Bearer bob': { who: 'bob', tenant: 'other' },
};
const boot = () =>
  serve(createGlobalEngine({ by: (context) => (context as { tenant?: string }).tenant }), {
    agents: { clerk },
    store,
    auth: (request) => users[request.headers.get('authorization') ?? ''],
  });
let service = boot();

// 2. A client, in a browser or elsewhere: here the connection breaks after some chunks, and the client continues after its last event.
let connections = 0;
const fetchBadly: typeof fetch = async (input, init) => {
  const response = await service.fetch(new Request(input, init));
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) return response;
  connections += 1;
  const reader = response.body?.getReader();
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      for (let chunk = 0; chunk < 12; chunk += 1) {
        const { value } = (await reader?.read()) ?? {};
        if (value !== undefined) controller.enqueue(value);
      }
      controller.close();
      await reader?.cancel();
    },
  });
  return new Response(body, response);
};
const as = (name: string) =>
  connect<typeof service>('http://localhost', {
    fetch: fetchBadly,
    headers: { authorization: `Bearer ${name}` },
    retryMs: 1,
  });

// 3. The same key is the same run, however often it is sent.
const run = await as('ada').start('clerk', { order: 17 }, { key: 'order-17' });
const same = await as('ada').start('clerk', { order: 17 }, { key: 'order-17' });
assert.equal(same.runId, run.runId);
await assert.rejects(as('ada').start('clerk', { order: 18 }, { key: 'order-17' }), { code: 'run.duplicate' });

// 4. Events from afar, until a person is asked; another tenant sees nothing of it.
const types: string[] = [];
for await (const event of run) {
  if (event.type !== 'model.delta') types.push(event.type);
  if (event.type === 'tool.approval-requested') break;
}
console.log(`1. ${types.length} events over ${connections} connections: ${types.at(-1)}`);
assert.equal(types[0], 'run.started');
assert.equal(new Set(types.filter((type) => type.startsWith('run.'))).size, 1);
await assert.rejects(as('bob').at(run.runId).abort(), { code: 'journal.unknown', status: 404 });
assert.deepEqual(await as('bob').runs(), []);

// 5. The server shuts down, and another one boots: the run waits in the store.
await service.drain();
service = boot();
await service.booted;

// 6. Changed arguments are validated by the tool before anything is approved.
const [request] = await run.requests();
assert.ok(request !== undefined && request.kind !== 'question');
await assert.rejects(run.approve(request.id, { input: { order: 17, euros: 9_000 } }), {
  code: 'input.invalid',
});
await run.approve(request.id, { input: { order: 17, euros: 39 } });
const { status, output } = await run.result;
console.log(`2. ${status}: ${output}`);
assert.deepEqual(paid, [39]);
assert.equal(output, 'Your money is on its way.');

// 7. What a client can do, as OpenAPI has it.
const { paths } = service.openApi() as { paths: Record<string, object> };
console.log(`3. ${Object.keys(paths).length} addresses, such as ${Object.keys(paths)[1]}`);
await service.drain();
