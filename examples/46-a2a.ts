// A2A both ways: a desk of agents answers agents of other programs, and an agent of another program is a member of a team here.
// Both sides are in this process, on the loopback, and nothing else is needed.
//
//   npx tsx examples/46-a2a.ts
//
// When not to use it: between agents of one program. A team keeps one run with one budget and one log.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { agent, answer, createGlobalEngine, tool } from 'troupe';
import { a2aAgent, serveA2a } from 'troupe/a2a';
import { pipeline } from 'troupe/patterns';
import { serve } from 'troupe/server';
import { memoryStore } from 'troupe/stores';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

// 1. The other program: a cashier who pays money back, once somebody has approved it.
const paid: number[] = [];
const refund = tool({
  name: 'refund',
  description: 'Pays money back.',
  safety: 'danger',
  input: z.object({ euros: z.number() }),
  describe: ({ euros }) => `Paying back ${euros} euros`,
  execute: ({ euros }) => {
    paid.push(euros);
    return 'paid';
  },
});
const cashier = agent({
  name: 'cashier',
  description: 'Pays money back.',
  tools: [refund],
  model: scriptedModel([calls({ name: 'refund', input: { euros: 39 } }), 'Your 39 euros are on their way.']),
});
const service = serve(createGlobalEngine(), { agents: { cashier }, store: memoryStore() });
const { listener } = serveA2a(service, { activity: true });

// 2. It listens, by Node's own server.
const server = createServer(listener);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
assert.ok(typeof address === 'object' && address !== null);
const url = `http://127.0.0.1:${address.port}`;

// 3. Its card says what it is, to every caller.
const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as { readonly name: string };
assert.equal(card.name, 'cashier');

// 4. This program: a team, one member of which is there. What it asks is a request to the person here.
const desk = pipeline({
  name: 'desk',
  stages: [
    a2aAgent({ name: 'cashier', url }),
    agent({ name: 'clerk', decide: ({ input }) => answer(`Dear customer: ${String(input)}`) }),
  ],
});
const asked: string[] = [];
const { output, events } = await desk.run('My order 17 never came.', {
  person: {
    answer: (question) => {
      asked.push(question);
      return 'yes';
    },
  },
});

assert.equal(output, 'Dear customer: Your 39 euros are on their way.');
assert.deepEqual(paid, [39]);
assert.deepEqual(asked, ["'cashier' asks: May it be done, yes or no? Paying back 39 euros"]);

// 5. What is said and done there is progress here.
const progress = events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []));
assert.ok(progress.includes('Your 39 euros are on their way.'));

server.closeAllConnections();
server.close();
await service.drain();
console.log(`${asked[0]}\n${output}`);
