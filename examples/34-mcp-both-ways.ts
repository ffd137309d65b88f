// MCP both ways: a desk of agents is a server, and an agent of another program is its client. Nothing leaves this process.
//
//   npx tsx examples/34-mcp-both-ways.ts
//
// When not to use it: between agents of one program. A team, or `delegate`, keeps one run with one budget and one log.
// Its chart: docs/diagrams/agent.mmd
import assert from 'node:assert/strict';
import { agent, askPerson, tool } from 'troupe';
import { mcpServer, serveMcp } from 'troupe/mcp';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

// 1. The server: an agent that books tables, and asks before it does.
const booked: string[] = [];
const waiter = agent({
  name: 'waiter',
  description: 'Books a table.',
  tools: [
    askPerson,
    tool({
      name: 'book',
      description: 'Books a table.',
      safety: 'write',
      input: z.object({ seats: z.number() }),
      describe: ({ seats }) => `Booking ${seats} seats`,
      execute: ({ seats }) => {
        booked.push(`${seats} seats`);
        return 'booked';
      },
    }),
  ],
  model: scriptedModel([
    calls({ name: 'ask_person', input: { question: 'How many seats?' } }),
    calls({ name: 'book', input: { seats: 4 } }),
    'A table for four is booked.',
  ]),
});
const service = serveMcp([waiter], { name: 'restaurant' });

// 2. The client: the server's agents are tools of a toolset. Over a network, only `url` would be needed.
const host = agent({
  name: 'host',
  tools: [
    mcpServer({
      name: 'restaurant',
      url: 'https://restaurant.example/mcp',
      fetch: (input, init) => service.fetch(new Request(input, init)),
    }),
  ],
  model: scriptedModel([
    calls({ name: 'restaurant.waiter', input: { input: 'A table for tonight, please.' } }),
    'You have a table.',
  ]),
});

// 3. The question of the agent on the other side is a question to the person on this one, and names who asks.
const asked: string[] = [];
const answer = (question: string): string => {
  asked.push(question);
  return 'Four.';
};
const { output, events } = await host.run('Get us a table.', { person: { answer } });

assert.equal(output, 'You have a table.');
assert.deepEqual(booked, ['4 seats']);
assert.match(asked.join('\n'), /MCP server 'restaurant' asks: How many seats\?/);

// 4. What the server does is progress here, and how it described its tools is on record.
const progress = events.flatMap((event) => (event.type === 'tool.progressed' ? [event.text] : []));
assert.ok(progress.some((text) => text.includes('Booking 4 seats')));
const opened = events.find((event) => event.type === 'toolset.opened');
assert.deepEqual(Object.keys(opened?.tools ?? {}), ['waiter']);

await service.close();
console.log(`${asked[0]}\n${progress.at(-1)}\n${output}`);
