// A run published to people elsewhere: resumable server-sent events, middleware, and custom events.
//
//   npx tsx examples/29-publishing.ts
import assert from 'node:assert/strict';
import { agent, around, tool } from 'troupe';
import { defineEvent, eventRegistry, publishTo, sseResponse, type Publication } from 'troupe/inspect';
import { calls, scriptedModel } from 'troupe/testing';
import { z } from 'zod';

// 1. A custom event of the shop: its name, the schema of its data, and a handler.
const reserved: number[] = [];
const ordered = defineEvent('shop.ordered', z.object({ id: z.number() }), ({ id }) => void reserved.push(id));
const order = tool({
  name: 'order',
  description: 'Order a thing.',
  input: z.object({ id: z.number() }),
  execute: ({ id }, context) => {
    ordered.emit(context, { id });
    context.emit('shop.misspelt', { id });
    return 'It is on its way.';
  },
});

// 2. A publisher receives numbered batches. This one is down at first: it gets the same batch again.
const room: Publication[] = [];
let isUp = false;
const chat = publishTo(
  {
    name: 'chat',
    publish: async ({ publications }) => {
      if (!isUp) {
        isUp = true;
        throw new Error('nobody is there yet');
      }
      room.push(...publications);
    },
  },
  { retryMs: 10 },
);

const clerk = agent({ name: 'clerk', tools: [order], hooks: [chat] });
const model = scriptedModel([
  calls({ name: 'order', input: { id: 7 } }),
  'It is ordered. It comes tomorrow.',
]);
const handle = clerk.stream('Order number 7.', { model });

// 3. Two middlewares on the way to the client: one counts, one passes only the shop's custom events.
const shop = eventRegistry([ordered]);
const letters: string[] = [];
shop.deadLetters$.subscribe(({ event, reason }) => letters.push(`${event.name}: ${reason}`));
let passed = 0;
const middleware = [around({ after: () => void (passed += 1) }), shop.middleware];

const live = sseResponse(handle, { middleware });
const { output } = await handle.result;
const stream = await live.text();
console.log(stream.split('\n\n').find((each) => each.includes('shop.ordered')));

assert.equal(live.headers.get('content-type'), 'text/event-stream; charset=utf-8');
assert.deepEqual(reserved, [7]);
assert.deepEqual(letters, ['shop.misspelt: unknown']);
assert.ok(passed > 10);

// 4. A client that reconnects sends its last event id, and gets the rest from the log.
const ids = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
const rest = await sseResponse(handle, { after: 10 }).text();
assert.equal(ids(rest)[0], 11);
assert.equal(ids(rest).at(-1), ids(stream).at(-1));

// 5. By now everything is published, in order, once: the result waited for it.
console.log(room.map((each) => `${each.seq} ${each.type}`).join(', '));
assert.deepEqual(
  room.map(({ seq }) => seq),
  room.map((_, index) => index + 1),
);
const last = room.at(-1);
assert.equal(last?.type === 'completion' ? last.output : undefined, output);
await chat.close();
